package vad

import (
	"math"
	"math/rand/v2"
)

// breathSound is somebody who breathes into the microphone: noise of the mouth's shape that swells for a second and
// dies away.
func breathSound(loud float64) waveform {
	white := whiteNoise(1)
	var a, b float64
	return func(t float64) float64 {
		v := white(t)
		a += 0.45 * (v - a)
		b += 0.12 * (a - b)
		return loud * 3 * (a - b) * math.Pow(max(0, math.Sin(2*math.Pi*0.45*t)), 1.5)
	}
}

// bowedStrings plays slow notes with a vibrato of 5.5 Hz, up to a third of a semitone wide each way, as violins and
// organs do.
func bowedStrings(loud float64) waveform {
	scale := []float64{220, 246.9, 261.6, 293.7, 329.6, 392}
	r := rand.New(rand.NewPCG(7, 8))
	phase, next, pitch := 0.0, 0.0, 220.0
	return func(t float64) float64 {
		if t >= next {
			next += 0.6 + 0.6*r.Float64()
			pitch = scale[r.IntN(len(scale))]
		}
		phase += pitch * math.Exp2(math.Sin(2*math.Pi*5.5*t)*0.35/12) / Rate
		return loud * overtones(phase, int(5000/pitch)) * (0.85 + 0.15*math.Sin(2*math.Pi*5.5*t))
	}
}

// popMusic is a song without its singer at 120 beats a minute: drums, a bass, and chords that are held.
func popMusic(loud float64) waveform {
	white, bass := whiteNoise(1), []float64{55, 55, 73.4, 82.4}
	return func(t float64) float64 {
		beat, eighth, bar := math.Mod(t, 0.5), math.Mod(t, 0.25), int(t/2)%4
		v := 1.6 * math.Exp(-18*beat) * math.Sin(2*math.Pi*(50+80*math.Exp(-40*beat))*beat)
		if int(t/0.5)%2 == 1 {
			v += 0.7 * math.Exp(-25*beat) * white(t)
		}
		v += 0.25 * math.Exp(-60*eighth) * white(t)
		root := bass[bar]
		v += 0.6 * math.Exp(-3*eighth) * overtones(root*t, 8)
		for note := 4.0; note <= 6; note++ {
			v += 0.15 * overtones(root*note*t, 8)
		}
		return loud * v
	}
}

// telephoneRing is a telephone: two tones that beat, on for a second of three, and a trill.
func telephoneRing(loud float64) waveform {
	return func(t float64) float64 {
		if math.Mod(t, 3) > 1 {
			return 0
		}
		f := 1200.0
		if math.Mod(t, 0.08) > 0.04 {
			f = 1500
		}
		return loud * (math.Sin(2*math.Pi*440*t) + math.Sin(2*math.Pi*480*t) + 0.5*math.Sin(2*math.Pi*f*t))
	}
}

// coughSound bursts every two seconds: noise with a rough, short voice in it.
func coughSound(loud float64) waveform {
	white := whiteNoise(1)
	return func(t float64) float64 {
		d := math.Mod(t, 2)
		if d > 0.35 {
			return 0
		}
		rough := math.Mod(d*(180-200*d), 1) - 0.5
		return loud * (math.Exp(-8*d)*white(t) + 0.5*math.Exp(-12*d)*rough)
	}
}

// engineSound is a motor or a fan with blades: a buzz of 90 Hz whose speed wanders a little, under its own wind.
func engineSound(loud float64) waveform {
	wind, phase := pinkNoise(1), 0.0
	return func(t float64) float64 {
		phase += 90 * (1 + 0.02*math.Sin(2*math.Pi*0.3*t)) / Rate
		return loud * (overtones(phase, 20) + wind(t))
	}
}

// babbleSound is the babble of many people, mixed from voices: each begins somewhere and repeats.
func babbleSound(loud float64, voices [][]int16) waveform {
	const heads = 12
	r := rand.New(rand.NewPCG(9, 10))
	var at [heads]int
	var samples [heads][]int16
	var gain [heads]float64
	for i := range heads {
		samples[i] = voices[i%len(voices)]
		at[i] = r.IntN(len(samples[i]))
		gain[i] = loud / loudness(samples[i]) / math.Sqrt(heads)
	}
	return func(float64) float64 {
		v := 0.0
		for i := range heads {
			v += gain[i] * float64(samples[i][at[i]])
			at[i] = (at[i] + 1) % len(samples[i])
		}
		return v
	}
}
