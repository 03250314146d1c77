/** Every product limit, with its unit in its name. Platform limits are in the modules that apply them. */
import { preloadedThreads } from './preload-limits.ts'

/** The offer of PRO names its 200 a day. */
export const creditsPerDay = { guest: 20, free: 20, pro: 200 } as const
export const searchesPerDay = { guest: 5, free: 5, pro: 50 } as const
export const researchesPerDay = { guest: 0, free: 0, pro: 15 } as const
/**
 * Chosen: credits that all guests of one network (an IPv4 address or an IPv6 /64) may use a day, and all guests together, in each content
 * database (docs/scaling.md). Ten guests of a network can use all their credits; the sum bounds the cost of an attack from many networks.
 * migrations/0005_turns_and_credits.sql repeats both numbers.
 */
export const guestNetworkCreditsPerDay = 200
export const allGuestsCreditsPerDay = 20_000
/**
 * A guest's turn that is expected to cost less reserves at most these credits. Chosen: 60 guests of a network, each with a running turn, stay
 * within its day. A first message with an answer of the largest size costs at most 3 with every model for guests.
 */
export const maxGuestTurnCredits = Math.floor(guestNetworkCreditsPerDay / 60)
/**
 * The same for wider networks (worker/auth/networks.ts): `site` is a /56, `block` an IPv4 /24 or IPv6 /48, `provider` an IPv4 /16 or IPv6 /32.
 * Chosen: a block may use a tenth of what all guests may use, a provider a quarter. The migration of `guestWideUse` repeats the numbers.
 */
export const guestWideCreditsPerDay = { site: 400, block: 2_000, provider: 5_000 } as const
/**
 * Turns per user and UTC day that end without a charge although a request to a provider was sent: failed ones, and plans of a research.
 * Further ones are charged. Chosen: more than a day with provider trouble needs, and too few to be worth provoking failures.
 */
export const unpaidTurnsPerDay = 20

/** PRO continues for this long while a due payment is collected, so that one rejected payment interrupts nothing. */
export const paymentGraceMs = 3 * 24 * 60 * 60 * 1000

/** The highest limit of an answer that a thread may have. Chosen: a day of PRO. */
export const maxTurnCredits = 200

/** Chosen: tool use of one answer, enough for a thorough answer and a bound for a model that loops. */
export const maxToolSteps = 10
export const maxSearchesPerTurn = 4
export const maxPageReadsPerTurn = 6
export const maxQueryChars = 300
/** Chosen: the queries and sources of a thorough answer. Later turns send them instead of its tool results. */
export const maxShortResultsChars = 4000
export const maxPageChars = 12_000
/** Chosen: the search provider abandons a slow site before our request times out. */
export const pageCrawlTimeoutMs = 10_000
export const pageTimeoutMs = 15_000
export const searchTimeoutMs = 10_000

/** Limits of a research plan and of each step. Chosen: a report of eight steps uses about 24 pages and is ready in minutes. */
export const maxPlanSteps = 8
export const maxPlanStepChars = 300
export const maxQueriesPerStep = 2
export const maxPagesPerStep = 3
/** Resumes of one research after its object crashed. Bounds the retries of a page that crashes the object. */
export const maxResearchResumes = 10

/** Chosen: twelve months and the one that runs. After that, what was used on a day is deleted; the ledger stays. */
export const dailyUseDays = 396
/** Chosen: the page of the usage reads a year of a user with 25 models and projects a day. The newest days come first. */
export const maxDailyUseRows = 10_000
/** Chosen: the highest limit of credits that a user may set, far above every plan. */
export const maxOwnCreditLimit = 1_000_000

/** The composer and the meters warn from this share of a limit. */
export const usageWarningRatio = 0.8

export const maxTitleChars = 100
/** Maximum length of a generated title. A user may enter a longer one. */
export const generatedTitleChars = 80
export const maxMessageChars = 100_000
export const maxNicknameChars = 50
export const maxBiographyChars = 500
export const maxInstructionsChars = 1000
export const maxPinnedModels = 60

/** Sources of tools that a thread or a project can switch. Chosen: more than a user can have servers, with those of 10 organizations. */
export const maxOffTools = 150

/** Attachments: number per message, and size per kind. */
export const maxFilesPerMessage = 5
export const maxImageBytes = 8 * 1024 * 1024
/**
 * Largest image that a model receives. The browser scales a larger one down; the original is stored beside it.
 * Anthropic, the strictest provider, rejects an image of more than 5 MiB in base64, and one of more than 2,000 pixels a side in a request with
 * more than 20 images. It scales an image to 1,568 pixels itself (https://platform.claude.com/docs/en/build-with-claude/vision, 2026-11-24).
 */
export const maxModelImageBytes = (5 * 1024 * 1024 * 3) / 4
export const maxModelImageEdgePixels = 1568
/** Chosen: the copy of an image whose format models do not read, within the canvas of all browsers and above what models read. */
export const maxConvertedEdgePixels = 4096
/** An image that the server converts is held in memory. Chosen: a photo of 48 megapixels in HEIC has 5 to 12 MB. */
export const maxConvertibleBytes = 16 * 1024 * 1024
/** A larger image gets a thumbnail, which must not exceed this size. */
export const maxThumbnailBytes = 64 * 1024
export const maxDocumentBytes = 32 * 1024 * 1024
export const maxTextBytes = 8 * 1024 * 1024
export const maxFileNameChars = 120
/** Storage for files per user. Chosen: enough for real work, too little for a file store. */
export const storedFileBytes = { guest: 100 * 1024 * 1024, free: 1024 * 1024 * 1024, pro: 10 * 1024 * 1024 * 1024 } as const
/**
 * Storage for a user's threads and messages. Deleted ones count until they are purged. Chosen: more than a year of the plan's daily credits
 * in average conversations. The largest plan takes a twentieth of one 10 GB D1 database.
 */
export const storedContentBytes = { guest: 8 * 1024 * 1024, free: 64 * 1024 * 1024, pro: 512 * 1024 * 1024 } as const
export const storedContentRows = { guest: 2_000, free: 20_000, pro: 200_000 } as const
/** The usage row shows the use rounded down to these steps (triggers of `contentUse`). Chosen: about one feed row per two short turns. */
export const contentStepBytes = 16 * 1024
export const contentStepRows = 4
/** Chosen: far above manual use. A fork copies up to 400 messages without a model, so no other limit applies. */
export const forksPerDay = { guest: 10, free: 30, pro: 200 } as const
export const uploadsPerHour = { guest: 40, free: 120, pro: 600 } as const
/**
 * What guests of one network store a day, and all guests, in each content database (migrations/0007_storage.sql). Chosen: two
 * guests of a network can fill their storage; in 30 days, after which idle guests are deleted, all fill 4 GB of a database.
 */
export const guestNetworkStoredPerDay = { bytes: 16 * 1024 * 1024, rows: 4_000, fileBytes: 200 * 1024 * 1024 } as const
export const allGuestsStoredPerDay = { bytes: 128 * 1024 * 1024, rows: 100_000, fileBytes: 4 * 1024 * 1024 * 1024 } as const

/** Files of a copied thread, which the copy refers to; and of all copies in an hour. Chosen: one batch writes them; far above manual use. */
export const maxCopiedFiles = 50
export const copiedFilesPerHour = { guest: 100, free: 300, pro: 600 } as const
/** An uploaded file that no message references is deleted after this time. */
export const unusedFileTtlMs = 24 * 60 * 60 * 1000

/** Models that answer one question side by side. Chosen: three columns of readable width fit into a wide window. */
export const maxComparedModels = 3

/** Queued messages per thread. */
export const maxQueuedMessages = 10
/** A fork is one batch. Chosen: far below the limits of a batch. */
export const maxForkMessages = 400
export const maxForkChars = 4_000_000

/** Live links of a user, and new links in 24 hours (migrations/0004_threads.sql). Chosen: far above manual use, and all are listed at once. */
export const maxShares = 200
export const sharesPerDay = 50
/** Chosen: the server renders a page of this size in a fraction of a second. */
export const maxShareChars = 1_000_000

/** Threads and messages of one mutation of an import. Chosen: one takes a few milliseconds of the database, and others write in between. */
export const maxImportThreads = 25
export const maxImportMessages = 100

/** A larger row is refused. Platform limit: D1 allows 2 MB per row; the local runtime does not enforce the limit. */
export const maxRowBytes = 1_900_000

/** Threads of one mutation. Chosen: bounds the feed rows that the day's mutations can write. A larger selection is sent in parts. */
export const maxThreadsPerMutation = 25
/** Threads of one selection in the sidebar. Chosen: an action takes at most four mutations, which the server commits together. */
export const maxSelection = 100
/** Chosen: the sidebar lists all of them. Deleted ones count until they are purged. */
export const maxProjects = 100
export const maxProjectNameChars = 60
/** Chosen: several pages of text, which every turn of the project sends. */
export const maxProjectInstructionsChars = 8000
/** Chosen: every turn of the project sends them, as far as they fit into half of the input budget. */
export const maxProjectFiles = 10
/** Saved prompts of a user. Chosen: all are listed at once. Deleted ones count until they are purged. */
export const maxPrompts = 200
export const maxPromptNameChars = 60
/** Chosen: several pages of text, as for the instructions of a project. */
export const maxPromptChars = 8000
/** Prompts shared with an organization. Every member receives them. Chosen: at most 2.4 MB. Removed shared prompts count until they are purged. */
export const maxSharedPrompts = 100
/** Those of one member. Chosen: one member cannot fill an organization. */
export const maxSharedPromptsPerMember = 20
/** Characters of a fact. Chosen: one sentence. */
export const maxMemoryChars = 300
/** Facts of a user that are not deleted. Chosen: all are listed at once. Above it, no new facts are found. */
export const maxMemories = 200
/** New facts of one message. Chosen: a message that has more is not about the user. */
export const maxMessageMemories = 3
/** Facts in one prompt. */
export const maxPromptMemories = 8
/**
 * Tokens of these facts with their heading, which the quote counts whenever memory is on. Chosen: eight facts of `maxMemoryChars` in English; in
 * other scripts, eight facts of about 100 characters.
 */
export const maxPromptMemoryTokens = 900
/** The part of a message that a small model reads, and the facts that it receives to avoid repeats. Chosen: at most about 5,000 tokens, 0.1 cents. */
export const maxReadChars = 4000
export const maxKnownMemories = 30
/** Messages of a user and UTC day that are read for facts. Chosen: at most 5 cents, and usually below one. */
export const memoryReadingsPerDay = 50
/** A message with more messages above it is not read for facts, because each fact names all of them. */
export const maxMemoryPath = 400
/** Chosen: pinned threads are listed at once. */
export const maxPinnedThreads = 100

/** A temporary thread ends an hour after its last turn began. */
export const temporaryThreadMs = 60 * 60 * 1000
/** Chosen: a page that reloads or reconnects opens the thread again within this time. Otherwise the thread counts as closed and is deleted. */
export const closedThreadMs = 5 * 60 * 1000

/** The thread list is one query whose limit grows by a page. */
export const threadPageSize = 50
export const maxThreadWindow = 5_000
/** Exports per user. Chosen: enough to retry after a broken download. */
export const exportsPerHour = 5
/** Chosen: after a client disconnects, its export blocks the next one for this long. A running export extends its lease. */
export const exportLeaseMs = 30_000
/** Chosen: a page takes D1 a few milliseconds. The row that exceeds `exportPageBytes` ends the page. */
export const exportPageRows = 100
export const exportPageBytes = 256 * 1024
/**
 * A thread opens with its newest messages, and the window doubles as the user scrolls up. Chosen: 50 messages fill several screens. The
 * largest window exceeds what an account may store.
 */
export const messagePageSize = 50
export const maxMessageWindow = messagePageSize * 2 ** 12
/** A change of a research plan reads the plan's message and its answer. */
export const maxMessagesById = 2
/**
 * The list of bookmarks is one query whose limit grows by a page. Chosen: a page is small, because it has whole messages, and 1,000 are more
 * than a user reads. A bookmark is a column of its message, so the storage limit of messages bounds it.
 */
export const bookmarkPageSize = 25
export const maxBookmarkWindow = 1000
/** Chosen: far above manual use. Deleting a message writes every bookmark below it, in one batch (`D1Source.maxStatements`). */
export const maxThreadBookmarks = 200
/** Search in all threads and in one: length of the query. Search in all threads: number of results. */
export const maxFindChars = 200
export const maxFoundThreads = 8
/** Threads that the page searched itself and excludes from the search on the server, by their newest messages and by their titles. */
export const maxExcludedThreads = preloadedThreads + 20

/** A deleted thread or message can be restored until cleanup deletes it permanently. */
export const deletedThreadRetentionMs = 30 * 24 * 60 * 60 * 1000
/** A guest without activity for this long is deleted with all data. */
export const guestRetentionMs = 30 * 24 * 60 * 60 * 1000
/** Deleting an account requires a sign-in within this time. */
export const freshSignInMs = 10 * 60 * 1000
export const maxNameChars = 32
/** RFC 5321, section 4.5.3.1.3, without the angle brackets. */
export const maxEmailChars = 254
/** Chosen: long enough for the signed image URLs of sign-in providers. */
export const maxImageUrlChars = 2000
export const undoToastMs = 30_000
/** The answer of a deleted thread is stopped after the undo offer has expired, with time for a late undo to arrive. */
export const deletedTurnMs = undoToastMs + 10_000
/** Newest deletions of messages that every device receives. A screen shows three. */
export const maxUndoOffers = 10
/** Newest deletions of threads: those of a whole selection are undone together. */
export const maxDeletedThreads = maxSelection + maxUndoOffers

/** A query stays alive for this long after its last use, so that going back shows its rows at once. Zero's default is 5 minutes. */
export const queryTtlMs = 10 * 60 * 1000

/** Clients of one client group that have a progress row. Chosen: every page load that writes is a client, 140 a day for a week. */
export const maxClientsPerGroup = 1000
/** Above that limit, the progress of a disconnected client is removed after this time without a mutation. */
export const clientIdleMs = 7 * 24 * 60 * 60 * 1000
/** The delay before the nth retry of the identity request is n times this: a short outage ends on the page within about a second. */
export const identityRetryStepMs = 1000
/** Chosen: bounds the load of many waiting pages on a restarted server. */
export const identityRetryMaxMs = 30_000

export const maxFrameBytes = 1024 * 1024
/** Mutations of one user: burst, and sustained rate. MUTATION_BURST and MUTATIONS_PER_SECOND override. */
export const mutationBurst = 100
export const mutationsPerSecond = 20
/**
 * Mutations of one user and UTC day. Each leaves a row of the feed for 30 days, or a
 * refusal until the client acknowledges it. Chosen: 100 for each credit of guests and of PRO; an account uses more devices than a guest.
 * MUTATIONS_PER_DAY overrides all three.
 */
export const mutationsPerDay = { guest: 2_000, free: 4_000, pro: 20_000 } as const
/** After `mutationsPerDay`, deleting and stopping mutations are applied up to this number, all others are refused. Then all wait for the next day. */
export const reducingMutationsPerDay = 1_000
/** The usage row shows the day's mutations rounded down to this step (triggers of `contentUse`). One of 100 mutations writes it. */
export const mutationStep = 100
/**
 * Connects of the sync socket by one user, over all browsers. Chosen: after a deploy every connection of a user (at most 100) reconnects at
 * once; later one per second.
 */
export const connectBurst = 100
export const connectsPerSecond = 1
/** Client groups that connect for the first time, per user. Chosen: one per browser profile, or one per page load without IndexedDB. */
export const newClientGroupBurst = 20
export const newClientGroupsPerMinute = 20
/** Chosen: concurrent readers of one answer, over all tabs and devices of its user. As many may wait for turns of a user. */
export const maxStreamReaders = 20
/** Chosen: at the limit, a new reader replaces a reader of this age, because the old connection may be dead. */
export const readerReplacedAfterMs = 30_000
/** The generation stores a segment when it reaches this age or length, and at tool boundaries. */
export const segmentFlushMs = 250
export const segmentFlushBytes = 4 * 1024
/**
 * Chosen: how long a model may take for its response, and then send no byte. Any byte counts, also a comment that keeps the connection open.
 * A longer limit would keep the user waiting for a dead connection. MODEL_SILENCE_SECONDS overrides.
 */
export const modelSilenceMs = 60_000
/** Chosen: GPT-5 Pro reasons for minutes without a byte, and 5 minutes are less than the time limit of an answer. */
export const reasoningSilenceFactor = 5
/** The alarm of a running generation. After a restart it recovers the turn. Half of the 10 s within which a thread must be ready again. */
export const generationHeartbeatMs = 5_000
export const generationMaxMs = 14 * 60 * 1000
/** How long an ended answer can still be read from the log of its object. By then every browser has the stored row. */
export const logRetentionMs = 10 * 60 * 1000
/** How long a reader may wait for the row of its generation, and then for the start command. */
export const streamWaitMs = 10_000

/** Chosen: wrong CRON_SECRETs that one network may send within ten minutes. */
export const maxWrongSecrets = 10
/** Chosen: a price changed at Stripe appears within this time. */
export const proPriceCacheMs = 10 * 60 * 1000
/** Chosen: how long an isolate does not repeat a failed read of the price. */
export const proPriceRetryMs = 30 * 1000

/** Organizations. Every membership syncs to all other members, so this number bounds the cost of a write. */
export const maxOrganizationsPerUser = 10
export const maxOrganizationMembers = 200
export const maxPendingInvitations = 100
export const maxTeams = 50
export const invitationLifeMs = 7 * 24 * 60 * 60 * 1000
export const maxOrganizationNameChars = 60
export const maxSlugChars = 40
export const maxTeamNameChars = 60
/** Chosen: enough for a note or an external id. The value syncs to the browsers of all members. */
export const maxOrganizationMetadataChars = 200
/** Side length of a square logo, and the maximum length of its data URL. */
export const logoPx = 128
export const maxLogoChars = 60_000

/** Chosen: of the JSON of tools, more than any takes. SQLite reads JSON of at most 1,000 levels, and an answer stores it inside of others. */
export const maxJsonLevels = 100
/** A call that waits longer for its approval must be asked for again. */
export const approvalLifeMs = 24 * 60 * 60 * 1000
export const maxApprovalReasonChars = 500
/** Chosen: of the JSON that the user changes. The row of an answer has the space of many such calls. */
export const maxApprovalInputChars = 64_000
/** Chosen: of a tool's description of itself. A longer one is cut. */
export const maxApprovalDescriptionChars = 4_000
/** Chosen: of the JSON schema of the input. The input of a tool with a longer one cannot be changed. */
export const maxApprovalSchemaChars = 16_000
/** Limits of a server's request to the user during a call. Chosen: a long form, and a page of text. More is refused, and a longer text is cut. */
export const maxInputAsks = 4
export const maxInputFields = 20
export const maxInputOptions = 100
export const maxInputMessageChars = 2_000
export const maxInputTextChars = 300
export const maxInputUrlChars = 2_000
/** The answer of the user, in JSON. */
export const maxInputAnswerChars = 16_000
/** The answers of a user that one call may ask for, one after the other. */
export const maxInputRounds = 5
/** A server of the version of 2026 may want the same call again without a question. */
export const maxUnaskedRepeats = 5
/** The state that a server keeps with Parley until the answer. */
export const maxRequestStateChars = 16_000
/** Chosen: more calls than a thread shows at a time. */
export const maxShownApprovals = 200

/** Servers of tools of a user, and of an organization. Chosen: each server costs a connection for every call, and its definitions are part of every request to a model. */
export const maxToolServers = 10
export const maxToolsPerServer = 64
export const maxToolServerNameChars = 40
export const maxToolServerUrlChars = 500
/** Headers of a server: number, and length of a value. Chosen: API keys and tokens. */
export const maxServerHeaders = 5
export const maxServerHeaderChars = 2_000
/** The longest name that providers accept for a tool is 64 characters. */
export const maxToolNameChars = 64
/** The longest name that the protocol of servers allows for a tool. */
export const maxServerToolNameChars = 128
export const maxToolTitleChars = 80
export const maxToolDescriptionChars = 1_000
export const maxToolSchemaChars = 8_000
/** The definitions of all tools of a server, in JSON. The tools beyond are not used. */
export const maxServerToolsChars = 128 * 1024
/** What one request to a server may return. */
export const maxServerResponseBytes = 2 * 1024 * 1024
/** The response to reading one resource or prompt, in base64. Chosen: an image of 6 MB. */
export const maxResourceResponseBytes = 8 * 1024 * 1024
/** Resources and prompts of a server. Chosen: more than a user looks through; their JSON is in the row of the server, on every device. */
export const maxResourcesPerServer = 200
export const maxPromptsPerServer = 64
export const maxServerResourcesChars = 48 * 1024
export const maxServerPromptsChars = 32 * 1024
/** Pages of a list of tools, resources or prompts. The entries beyond are not read. */
export const maxServerListPages = 8
export const maxResourceUriChars = 1_000
export const maxServerPromptNameChars = 128
/** Arguments of a prompt or of a template of addresses: number, and length of a value. Chosen: a form that fits on a screen, and a long text. */
export const maxServerArguments = 10
export const maxServerArgumentChars = 4_000
export const maxServerArgumentNameChars = 64
/** Suggestions of a server for an argument. Chosen: what a list shows; typing more letters brings others. */
export const maxSuggestions = 50
/** A server must suggest values within this time. Chosen: later, the user has typed on. */
export const suggestionTimeoutMs = 5_000
/** Resources that a prompt of a server links to and that are read with it. */
export const maxPromptLinks = 5
/** Names of unusable tools, resources and prompts that the settings show. */
export const maxNamedLeftOut = 10
/** A result of a tool, as it is stored and given to a model. Chosen: a little more than a page. */
export const maxResultChars = 16_000
export const maxResultImages = 2
export const maxResultImagesPerTurn = 4
export const maxResultImageBytes = 96 * 1024
export const maxResultLinks = 20
/** A server must answer within this time; each progress report extends it, up to `toolCallMaxMs`. */
export const toolServerTimeoutMs = 20_000
/** The list of resources, of templates and of prompts each. Chosen: less, because a server is usable without them. */
export const serverListTimeoutMs = 10_000
export const toolCallTimeoutMs = 60_000
export const toolCallMaxMs = 5 * 60 * 1000
/** Connections that a user may cause from the settings. Chosen: far above manual use. */
export const toolServerChecksPerHour = 60
export const maxServerCallsPerTurn = 30
/** Reports of progress: at most one in this time is shown. Chosen: what can be read. */
export const toolProgressMs = 1_000
export const maxProgressMessageChars = 200
/** Definitions of the tools of all servers in a request to a model, in JSON. Chosen: about 10,000 tokens. The tools beyond are left out. */
export const maxTurnToolsChars = 40_000
/** Tools of all servers in a request to a model. OpenAI refuses a request with more than 128; the others are of the web. */
export const maxTurnTools = 120
/** Calls in the answers of a user, and reads of resources, prompts and suggestions. Chosen: far above manual use. */
export const toolCallsPerHour = 300
/** Scopes that a server can require for a login, and the length of one. Chosen: the longest known ones are addresses of about 60 characters. */
export const maxServerScopes = 20
export const maxScopeChars = 100
/** Chosen: longer addresses of the page where the user logs in are refused. */
export const maxLoginUrlChars = 8_000
/** Earlier logins at a server whose tokens are revoked at the logout. */
export const maxReplacedLogins = 4
/** Calls of all members with the login of their organization. Chosen: far above the manual use of 200 members. */
export const organizationToolCallsPerHour = 3_000
/** Requests of all owners and admins about the servers of their organization: each notifies all members. */
export const organizationServerRequestsPerHour = 300
/**
 * Attempts to revoke the tokens of a deleted server, and the pause after the first one, which doubles. Chosen: 43 hours in all. After
 * the last attempt, or `tokenRevocationMs` after the deletion, the tokens are forgotten.
 */
export const maxRevocationAttempts = 10
export const firstRevocationDelayMs = 5 * 60 * 1000
export const tokenRevocationMs = 3 * 24 * 60 * 60 * 1000
/** A login at a server must be completed within this time. */
export const toolServerLoginMs = 15 * 60 * 1000
