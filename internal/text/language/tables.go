package language

// Questions: how questions are worded.
type Questions struct {
	FollowUpStarts  Phrases  `yaml:"follow_up_starts"`
	PointingWords   Words    `yaml:"pointing_words"`
	How             Phrases  `yaml:"how"`
	Steps           Phrases  `yaml:"steps"`
	Number          Phrases  `yaml:"number"`
	Time            Phrases  `yaml:"time"`
	HowMuch         Phrases  `yaml:"how_much"`
	When            Phrases  `yaml:"when"`
	Often           Phrases  `yaml:"often"`
	Person          Phrases  `yaml:"person"`
	Place           Phrases  `yaml:"place"`
	Cost            Phrases  `yaml:"cost"`
	Overview        Phrases  `yaml:"overview"`
	Definition      Phrases  `yaml:"definition"`
	Which           Words    `yaml:"which"`
	Permission      Phrases  `yaml:"permission"`
	PermissionWords Words    `yaml:"permission_words"`
	And             Words    `yaml:"and"`
	ListPatterns    []string `yaml:"list_patterns"`
	ListVerbs       Words    `yaml:"list_verbs"`
	CountingWords   Words    `yaml:"counting_words"`
	Negations       Words    `yaml:"negations"`
	FrameWords      Words    `yaml:"frame_words"`
	MeasureFillers  Words    `yaml:"measure_fillers"`
	CodeTopics      Words    `yaml:"code_topics"`
	Comparisons     Phrases  `yaml:"comparisons"`
	Prices          Phrases  `yaml:"prices"`
	With            Words    `yaml:"with"`
	Without         Words    `yaml:"without"`
	Meaning         Phrases  `yaml:"meaning"`
	PartNouns       Words    `yaml:"part_nouns"`
	PartFillers     Words    `yaml:"part_fillers"`
}

// Measures: what is asked to be measured, and how texts say it.
type Measures struct {
	NumberWords          Words    `yaml:"number_words"`
	Numerals             Words    `yaml:"numerals"`
	MonthNames           Groups   `yaml:"month_names"`
	WeekdayNames         Groups   `yaml:"weekday_names"`
	WeekdayAbbreviations Groups   `yaml:"weekday_abbreviations"`
	RangePhrases         Phrases  `yaml:"range_phrases"`
	WorkingDays          Phrases  `yaml:"working_days"`
	Weekend              Phrases  `yaml:"weekend"`
	EveryDay             Phrases  `yaml:"every_day"`
	TimeWords            Words    `yaml:"time_words"`
	Articles             Words    `yaml:"articles"`
	TimeUnits            Words    `yaml:"time_units"`
	AmountAdjectives     Words    `yaml:"amount_adjectives"`
	DurationAdjectives   Words    `yaml:"duration_adjectives"`
	SizeAdjectives       Words    `yaml:"size_adjectives"`
	DurationNouns        Words    `yaml:"duration_nouns"`
	SizeNouns            Words    `yaml:"size_nouns"`
	PriceNouns           Words    `yaml:"price_nouns"`
	BoundNouns           Words    `yaml:"bound_nouns"`
	PhoneNouns           Words    `yaml:"phone_nouns"`
	LanguageNouns        Words    `yaml:"language_nouns"`
	PlaceNouns           Words    `yaml:"place_nouns"`
	IndefiniteNumbers    Words    `yaml:"indefinite_numbers"`
	TelephoneWords       Words    `yaml:"telephone_words"`
	PaymentVerbs         Words    `yaml:"payment_verbs"`
	OpeningHours         Words    `yaml:"opening_hours"`
	CurrencyPatterns     []string `yaml:"currency_patterns"`
	FreePatterns         []string `yaml:"free_patterns"`
	SizePatterns         []string `yaml:"size_patterns"`
	BoundPatterns        []string `yaml:"bound_patterns"`
	ClockPatterns        []string `yaml:"clock_patterns"`
	LanguageNamePatterns []string `yaml:"language_name_patterns"`
	Below                Words    `yaml:"below"`
	Above                Words    `yaml:"above"`
}

// Sentences: what sentences of customers are made of, for the triggers of tools.
type Sentences struct {
	Greetings             Words   `yaml:"greetings"`
	Polite                Words   `yaml:"polite"`
	Ignorable             Words   `yaml:"ignorable"`
	Particles             Words   `yaml:"particles"`
	Contrast              Words   `yaml:"contrast"`
	Denials               Words   `yaml:"denials"`
	PoliteDenials         Phrases `yaml:"polite_denials"`
	InterjectionFollowers Words   `yaml:"interjection_followers"`
	TrailingNegations     Words   `yaml:"trailing_negations"`
	HowWords              Words   `yaml:"how_words"`
	WhatWords             Words   `yaml:"what_words"`
	WhichWords            Words   `yaml:"which_words"`
	Possessives           Words   `yaml:"possessives"`
	Auxiliaries           Words   `yaml:"auxiliaries"`
	SubjectPronouns       Words   `yaml:"subject_pronouns"`
	Obligations           Words   `yaml:"obligations"`
	Possibilities         Words   `yaml:"possibilities"`
	Cancellations         Words   `yaml:"cancellations"`
	PastEndings           Words   `yaml:"past_endings"`
	PastPhrases           Phrases `yaml:"past_phrases"`
	Wishes                Words   `yaml:"wishes"`
	Dislikes              Words   `yaml:"dislikes"`
	MentionedDislikes     Words   `yaml:"mentioned_dislikes"`
	ChangedMind           Phrases `yaml:"changed_mind"`
	SpeechVerbs           Words   `yaml:"speech_verbs"`
	QuotingVerbs          Words   `yaml:"quoting_verbs"`
	FirstPerson           Words   `yaml:"first_person"`
	OtherSpeakers         Words   `yaml:"other_speakers"`
	Conditions            Words   `yaml:"conditions"`
	QuestionOpeners       Words   `yaml:"question_openers"`
}

// SmallTalk: messages that want no answer from the sources.
type SmallTalk struct {
	Hello   Words `yaml:"hello"`
	Thanks  Words `yaml:"thanks"`
	Bye     Words `yaml:"bye"`
	Fillers Words `yaml:"fillers"`
}

// Conversation: what is said to the assistant rather than asked.
type Conversation struct {
	Yes              Words   `yaml:"yes"`
	No               Words   `yaml:"no"`
	MachineQuestions Phrases `yaml:"machine_questions"`

	IdentityQuestions Phrases `yaml:"identity_questions"`
	Openings          Phrases `yaml:"openings"`
	RecallQuestions   Phrases `yaml:"recall_questions"`

	WellbeingQuestions Phrases `yaml:"wellbeing_questions"`

	ContactVerbs  Words `yaml:"contact_verbs"`
	TalkVerbs     Words `yaml:"talk_verbs"`
	PersonNouns   Words `yaml:"person_nouns"`
	AgentNouns    Words `yaml:"agent_nouns"`
	Insults       Words `yaml:"insults"`
	InsultFillers Words `yaml:"insult_fillers"`
}

// Contacts: questions for how to reach the people of the sources, and the texts that answer them.
type Contacts struct {
	MailNouns  Words `yaml:"mail_nouns"`
	PhoneNouns Words `yaml:"phone_nouns"`
	PlaceNouns Words `yaml:"place_nouns"`
	Fillers    Words `yaml:"fillers"`
	Context    Words `yaml:"context"`

	StreetWords Words `yaml:"street_words"`
	ReachWords  Words `yaml:"reach_words"`

	NameParticles          Words    `yaml:"name_particles"`
	StreetPatterns         []string `yaml:"street_patterns"`
	PossibleStreetPatterns []string `yaml:"possible_street_patterns"`
	StreetNumberWords      Words    `yaml:"street_number_words"`
}

// PersonWish: how the wish for a person is worded, as regular expressions over words with one space between them.
type PersonWish struct {
	Stems  Words             `yaml:"stems"`
	Parts  map[string]string `yaml:"parts"`
	Before string            `yaml:"before"`
	Wishes []string          `yaml:"wishes"`
	Bare   string            `yaml:"bare"`
	After  string            `yaml:"after"`
}

// Tools: how customers give what a tool needs, and what its inputs are called.
type Tools struct {
	Yes               Words    `yaml:"yes"`
	No                Words    `yaml:"no"`
	BreakWords        Words    `yaml:"break_words"`
	LeadInPatterns    []string `yaml:"lead_in_patterns"`
	OwnNamePatterns   []string `yaml:"own_name_patterns"`
	SelfIntroPatterns []string `yaml:"self_intro_patterns"`
	EmailNames        Words    `yaml:"email_names"`
	PhoneNames        Words    `yaml:"phone_names"`
	NameWords         Words    `yaml:"name_words"`
	NameModifiers     Words    `yaml:"name_modifiers"`
	FreeTextNames     Words    `yaml:"free_text_names"`
	ReferenceNames    Words    `yaml:"reference_names"`
}

// Texts: what the built-in model says by itself.
type Texts struct {
	Hello             string    `yaml:"hello"`
	Thanks            string    `yaml:"thanks"`
	Bye               string    `yaml:"bye"`
	Unknown           string    `yaml:"unknown"`
	Unsure            string    `yaml:"unsure"`
	CodeNotFound      [2]string `yaml:"code_not_found"`
	MoreItems         string    `yaml:"more_items"`
	OtherLanguage     string    `yaml:"other_language"`
	SourceTopics      [2]string `yaml:"source_topics"`
	WhichOne          [2]string `yaml:"which_one"`
	OrSeparator       string    `yaml:"or_separator"`
	IsAutomated       string    `yaml:"is_automated"`
	IAmWell           string    `yaml:"i_am_well"`
	MyTopics          [2]string `yaml:"my_topics"`
	YouAsked          [2]string `yaml:"you_asked"`
	NoPersonAvailable string    `yaml:"no_person_available"`
	ReplyToInsult     string    `yaml:"reply_to_insult"`
	NotUnderstood     string    `yaml:"not_understood"`
	Acknowledgement   string    `yaml:"acknowledgement"`
	NeedInputs        [2]string `yaml:"need_inputs"`
	ListSeparator     string    `yaml:"list_separator"`
	ResultEmpty       string    `yaml:"result_empty"`
	CallFailed        string    `yaml:"call_failed"`
	ResultMissing     string    `yaml:"result_missing"`
	Handover          string    `yaml:"handover"`
}

// Sources: what texts of the sources are made of.
type Sources struct {
	Abbreviations    Words `yaml:"abbreviations"`
	OrdinalNouns     Words `yaml:"ordinal_nouns"`
	InstructionVerbs Words `yaml:"instruction_verbs"`
	BackReferences   Words `yaml:"back_references"`

	BackReferencePhrases Phrases `yaml:"back_reference_phrases"`
	Connectives          Phrases `yaml:"connectives"`
	Limits               Phrases `yaml:"limits"`

	ExpletivePatterns []string `yaml:"expletive_patterns"`

	EditorialNotes Phrases `yaml:"editorial_notes"`
	MailSenders    Words   `yaml:"mail_senders"`
	MailSubjects   Words   `yaml:"mail_subjects"`
}

// Redaction: what the words before a number say that it is.
type Redaction struct {
	PhoneWords   Words   `yaml:"phone_words"`
	PhonePhrases Phrases `yaml:"phone_phrases"`
	IDWords      Words   `yaml:"id_words"`
	IDPhrases    Phrases `yaml:"id_phrases"`
	ItemWords    Words   `yaml:"item_words"`
}

// Models: what models write in this language.
type Models struct {
	Refusals    Phrases `yaml:"refusals"`
	MarkerWords Words   `yaml:"marker_words"`
}

// Insight: what figures about conversations look for.
type Insight struct {
	FillerWords Words   `yaml:"filler_words"`
	Offers      Phrases `yaml:"offers"`
}

// Voice: what is said in a call.
type Voice struct {
	Backchannels    Words `yaml:"backchannels"`
	Interruptions   Words `yaml:"interruptions"`
	Unfinished      Words `yaml:"unfinished"`
	RarelyFinal     Words `yaml:"rarely_final"`
	CompleteAnswers Words `yaml:"complete_answers"`
	DigitWords      Words `yaml:"digit_words"`
	SpellingWords   Words `yaml:"spelling_words"`
}
