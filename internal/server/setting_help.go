package server

// SettingHelp is what the command line's help says of each setting, by the name of its flag.
var SettingHelp = map[string]string{
	"data":               "Data directory (${default}).",
	"database-url":       "PostgreSQL database (postgres://…) in place of the SQLite file in the data directory.",
	"plans":              "YAML file of plans that replaces the built-in ones.",
	"allow-async-commit": "Accept a PostgreSQL with synchronous_commit off: it may lose what was acknowledged.",
	"database-quota":     "Most pages the SQLite file may hold; 0 for no limit.",
	"index-budget":       "Memory for the search indexes of agents, in MB (${default}); those asked about last are kept.",
	"secret-key": "Seals secrets of actions, webhooks and model servers in the database: at least 16 bytes, better " +
		"given by the environment.",
	"listen":       "Address to listen on (${default}); port 0 takes a free one.",
	"base-url":     "Address under which clients reach this server; by default the one it listens on.",
	"files-listen": "Another address to listen on, for file uploads; by default they come to the first.",
	"files-url":    "Address for file uploads; by default the one of --files-listen, or the base URL.",
	"metrics-listen": "Another address to listen on, where /metrics is shown to Prometheus; it asks for no key. By " +
		"default there is none.",
	"tls-cert": "PEM file of the certificate, with those that lead to its root, by which the server speaks HTTPS; it is " +
		"read again when it changes.",
	"tls-key": "PEM file of the certificate's key.",
	"acme-domains": "Domains of this server that a certificate is issued for by an ACME server, in place of files; " +
		"naming them accepts its terms of service.",
	"acme-email":     "E-mail address that the ACME server may write to.",
	"acme-directory": "Directory of the ACME server; by default that of Let's Encrypt.",
	"http-listen": "Another address to listen on, by plain HTTP, from which browsers are sent to HTTPS; by default " +
		"there is none.",
	"otlp-endpoint": "Collector that traces are sent to by OTLP over HTTP, such as http://localhost:4318; by default " +
		"none are recorded.",
	"otlp-headers": "Headers of requests to the collector; better given by the environment.",
	"redis-url": "Redis or Valkey (redis://…) by which several servers on one PostgreSQL tell each other what has " +
		"changed and count limits together; without one they tell each other by PostgreSQL itself, and each counts for " +
		"itself.",
	"rate-limit": "Requests per 10 seconds for each key and address (${default}).",
	"max-connections": "Connections at a time; 0 for half the files that the system lets this program open, at most " +
		"20,000.",
	"address-connections": "Connections of one address at a time (${default}); 0 for no bound. Loopback is not " +
		"counted, nor is anybody behind --trust-proxy.",
	"open-turns": "Answers an account may have in the making at a time (${default}).",
	"drain":      "How long a stopping server lets running answers finish (${default}).",
	"drain-delay": "How long a stopping server goes on taking requests before that, while /readyz says that it drains " +
		"(${default}).",
	"trust-proxy": "Take the client's address from X-Forwarded-For: only behind a proxy that sets it.",
	"trusted-proxies": "Addresses of further proxies, such as those of sites that show the help page below their own " +
		"domain: what they say in X-Forwarded-For is believed as well.",
	"backup-to": "Folder, or bucket of an S3 service (s3://BUCKET/FOLDER), to which the server makes backups by itself; " +
		"by default it makes none.",
	"backup-every":   "How long after the newest backup the next one is made (${default}).",
	"backup-keep":    "How many of the newest backups are kept (${default}).",
	"backup-archive": "Make each backup one file in place of a folder; in a bucket it always is.",
	"s3-endpoint":    "Address of the S3 service that has the buckets of backups; Amazon's own when left out.",
	"s3-region":      "Its region (${default}).",
	"s3-key":         "Id of the key by which backups are stored there.",
	"s3-secret":      "Secret of that key; better given by the environment.",
	"console-url": "Address of the console where it has a host of its own: then it is on no other, and nothing else " +
		"is on that one.",
	"insecure-console": "Let people sign in over plain HTTP from other machines: ${enum} (${default}). Their " +
		"passwords can be read on the way.",
	"setup-token": "Token of the link by which the first person gets into the console, in place of a random one that is " +
		"printed: at least 32 characters.",
	"session-idle":     "How long a session of the console lasts that is not used (${default}).",
	"session-lifetime": "How long a session of the console lasts at most (${default}).",
	"smtp-url": "Mail server that invitations, links for signing in and notices are sent by: " +
		"smtp://USER:PASSWORD@HOST:587, or smtps://…; without one links are shown to be copied.",
	"mail-from": "Sender of these mails, such as parley@example.com.",
	"oidc-issuer": "Issuer of single sign-on by OpenID Connect, such as https://id.example.com; without one there is " +
		"none.",
	"oidc-client-id":     "Id of this server at that issuer.",
	"oidc-client-secret": "Secret of this server there; better given by the environment.",
	"oidc-domains":       "Domains of the e-mail addresses that single sign-on lets in; by default all.",
	"oidc-join-role": "Role with which single sign-on makes a member of whoever is none: admin, agent or viewer; by " +
		"default they do not get in.",
	"oidc-name": "Name of single sign-on on its button; by default the host of the issuer.",
	"max-import": "Largest archive of an account that may be imported in the console, in megabytes (${default}); 0 " +
		"for none.",
	"fetch-allow": "Addresses inside your network that actions, webhooks, links and model servers of accounts may " +
		"reach; all public ones are allowed.",
	"search-time":  "How long a conversation search may take (${default}).",
	"searches":     "Conversation searches that run at a time (${default}); others wait.",
	"insight-wait": "How long a conversation is quiet before it is judged for insights (${default}).",
	"search-url": "Search engine for web-search actions: a JSON endpoint like SearXNG's, such as " +
		"http://localhost:8888/search.",
	"file-programs": "Programs beside Parley's own readers that read uploaded files, on Linux: auto takes the " +
		"pdftotext, catdoc and antiword that are installed, where they can be fenced; full paths take those (${default}).",
	"unfenced-readers": "Read files also on a Linux that cannot fence what reads them.",
	"model-url": "Base URL of a model server with OpenAI's wire format, such as http://localhost:11434/v1; without it " +
		"the built-in model answers.",
	"model-key":     "API key of the model server; better given by the environment.",
	"model":         "Model to ask the model server for.",
	"model-map":     "Models to ask for by the name an agent has chosen; \"builtin\" is the built-in one.",
	"model-context": "Tokens that connected models can take in, of all or of single ones; 32000 where nothing is said.",
	"model-rewrite": "How long a connected model may take to put a follow-up question into words that can be searched " +
		"for; 0 leaves it as it is (${default}).",
	"embedding-model": "Folder with a sentence-embedding model, with which the server itself turns texts into vectors; " +
		"without it and without an embedding server passages are found by their words alone.",
	"embed-url": "Base URL of an embedding server with OpenAI's wire format, such as http://localhost:11434/v1; " +
		"without it passages are found by their words alone.",
	"embed-key":        "API key of the embedding server; better given by the environment.",
	"embed-model":      "Model to ask the embedding server for.",
	"embed-dimensions": "Length to ask for of the vectors, of a model that can shorten them; 0 takes them as they are.",
	"embed-weight":     "Weight of the vectors beside the words in a search; 0 takes a usual one.",
	"embed-wait": "How long a question waits for its vector before it is searched for by its words alone " +
		"(${default}).",
	"dictionaries": "Folders of dictionaries, by which questions in another language than the sources are looked for " +
		"and answered: those of dictd, such as /usr/share/dictd, and tables named as de-en.tsv.",
	"rerank-url": "Base URL of a reranking server that answers POST /rerank as Cohere, Jina or " +
		"text-embeddings-inference do; without it passages stay in the order of the search.",
	"rerank-key":   "API key of the reranking server; better given by the environment.",
	"rerank-model": "Model to ask the reranking server for; a server that has only one needs no name.",
	"rerank-wait": "How long a question waits for the reranking server before the order of the search remains " +
		"(${default}).",

	"voice-url":      "Address (wss://…) where browsers join voice sessions; by default it follows from the base URL.",
	"voice-udp-port": "UDP port for sound; 0 takes 7882, or any free one on loopback.",
	"voice-tcp-port": "TCP port for sound where UDP is blocked; 0 takes 7881, or none on loopback; -1 takes none.",
	"voice-node-ip": "Address that browsers send sound to; by default this machine's own, and loopback when --listen " +
		"is.",
	"voice-stun":         "STUN servers to ask for the address that browsers send sound to.",
	"voice-max-sessions": "Most voice sessions that this server holds at a time; 0 for as many as it has power for.",
	"voice-waiting": "Voice sessions of an account that may wait for somebody to join them (${default}); 0 for any " +
		"number.",
	"livekit-url":    "LiveKit (wss://…) that carries voice sessions in place of this server.",
	"livekit-key":    "API key of that LiveKit.",
	"livekit-secret": "API secret of that LiveKit; better given by the environment.",

	"tts": "What agents speak with (${default}): ${ttsEngines}; auto takes the server of " +
		"--tts-url, or else the programs that are installed.",
	"tts-url":   "Base URL of a server that speaks, with OpenAI's wire format; with a key alone it is OpenAI's own.",
	"tts-key":   "API key of that server; better given by the environment.",
	"tts-model": "Model to ask that server for; gpt-4o-mini-tts where none is named.",
	"stt":       "What agents understand speech with (${default}): ${sttEngines}.",
	"stt-url":   "Base URL of a server that understands speech; with a key alone it is the provider's own.",
	"stt-key":   "API key of that server; better given by the environment.",
	"stt-model": "Model to ask that server for, whatever an agent has chosen; by default the table of voices and " +
		"models tells.",
	"voice-map": "YAML file of voices and models that is laid over the built-in table.",
}
