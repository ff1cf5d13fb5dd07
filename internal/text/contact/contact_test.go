package contact

import "testing"

func TestAddressesShow(t *testing.T) {
	for _, text := range []string{"Lindenallee 23, 39104 Magdeburg", "39104 Magdeburg, Lindenallee 23", "Am Ring 4",
		"12 rue des Tanneurs, 69001 Lyon", "Via dei Platani 8", "Calle del Olmo 31, 28012 Madrid", "14 Quarry Street, Bath",
		"Rua das Flores 61, 4050-265 Porto", "Molenstraat 44, 3512 CK Utrecht", "улица Ленина, 5", "Berliner Straße 12",
		"〒150-0001 東京都渋谷区神宮前9-8-7", "北京市朝阳区建国路88号", "서울시 강남구 테헤란로 152", "Ostergasse 17, 8001 Lindau"} {
		if !Place.ShowsIn(text) {
			t.Errorf("%q shows no address", text)
		}
	}
	for _, text := range []string{"The 4th floor has 12 rooms.", "On Saturday 14 March 2027 we are closed.", "Article 12",
		"Am 14. März 2027", "Der Weg ist 4 km lang.", "Level 5 costs 1200 Euro", "The Beatles, 1962 Liverpool",
		"Season 3, Episode 14"} {
		if Place.ShowsIn(text) {
			t.Errorf("%q shows an address", text)
		}
	}
}

func TestAddressesOfComputersAreNoTelephoneNumbers(t *testing.T) {
	for _, text := range []string{"Tel. 01.23.45.67.89", "Call 1.800.555.0123.", "044.123.45.67", "+45 12.34.56.78",
		"555.123.4567", "From 10.0.0.7 nobody calls +49 30 1234567."} {
		if !Phone.Holds(text) {
			t.Errorf("%q holds no telephone number", text)
		}
	}
	for _, text := range []string{"A server on this machine (`localhost`, `127.0.0.1`) is talked to as it is.",
		"It listens at 192.168.100.200:80, 10.0.0.1 and 10.0.0.2.", "127.0.0.1 10.0.0.0/8", "Node 5.0.100"} {
		if Phone.Holds(text) {
			t.Errorf("%q holds a telephone number", text)
		}
	}
}
