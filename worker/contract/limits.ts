/**
 * Every product limit, its unit in its name. Platform limits live beside the code that meets them;
 * these are ours to choose, and both sides read them here.
 */

/** Specification section 9: guests and free users 20 a day, PRO 200. */
export const creditsPerDay = { guest: 20, free: 20, pro: 200 } as const
export const searchesPerDay = { guest: 5, free: 5, pro: 50 } as const
export const researchesPerDay = { guest: 0, free: 0, pro: 15 } as const
/**
 * Chosen: credits that all guests of one network (an IPv4 address or an IPv6 /64) may use a day, and all guests together, in each content
 * database (docs/scaling.md). Ten guests of a network can use all their credits; the sum bounds the cost of an attack from many networks.
 * migrations/0004_turns_and_credits.sql repeats both numbers.
 */
export const guestNetworkCreditsPerDay = 200
export const allGuestsCreditsPerDay = 20_000
/** Chosen: guests that one network may create within an hour before Turnstile is required, where it is configured. */
export const guestsPerHourWithoutCaptcha = 5

/**
 * Failed turns per user and UTC day that end without a charge although a request to a provider was sent. Further ones are charged.
 * Chosen: more than a day with provider trouble needs, and too few to be worth provoking failures.
 */
export const unpaidTurnsPerDay = 20

/** PRO goes on for this long while a due payment is being collected: a card that is refused once should not interrupt anybody's day. */
export const paymentGraceMs = 3 * 24 * 60 * 60 * 1000

/** What the tools of one answer may do at most. Ours: enough for a thorough answer, too little for a runaway one. */
export const maxToolSteps = 10
export const maxSearchesPerTurn = 4
export const maxPageReadsPerTurn = 6
/** Of all answers that are written in one object, for their tools and for titles: four besides the models', which may make a call wait. */
export const maxToolConnections = 3
export const maxTitleConnections = 1
export const maxQueryChars = 300
export const maxPageChars = 12_000
/** Chosen: the search provider gives up on a slow site before our own request times out. */
export const pageCrawlTimeoutMs = 10_000
export const pageTimeoutMs = 15_000
export const searchTimeoutMs = 10_000

/** A plan, and what is done for each of its steps. Ours: a report of eight steps rests on two dozen pages and is ready in minutes. */
export const maxPlanSteps = 8
export const maxPlanStepChars = 300
export const maxQueriesPerStep = 2
export const maxPagesPerStep = 3
/** How often one research is taken up again after its object died; a page that kills it must not be read for ever. */
export const maxResearchResumes = 10

/** From this share of the day's credits on, the composer warns. */
export const usageWarningRatio = 0.8

export const maxTitleChars = 100
/** A title we write ourselves is shorter than one a person may type. */
export const generatedTitleChars = 80
export const maxMessageChars = 100_000
export const maxNicknameChars = 50
export const maxBiographyChars = 500
export const maxInstructionsChars = 1000
export const maxPinnedModels = 60

/** Attachments: of a message, and each by its kind. */
export const maxFilesPerMessage = 5
export const maxImageBytes = 8 * 1024 * 1024
/** A picture of more than this gets a small one beside it, which has to be of no more. */
export const maxThumbnailBytes = 64 * 1024
export const maxDocumentBytes = 32 * 1024 * 1024
export const maxTextBytes = 8 * 1024 * 1024
export const maxFileNameChars = 120
/** What one person may keep with us, and how often they may bring something. Ours: room for real work, none for using us as a disk. */
export const storedFileBytes = { guest: 100 * 1024 * 1024, free: 1024 * 1024 * 1024, pro: 10 * 1024 * 1024 * 1024 } as const
/**
 * Storage for a user's threads and messages. Deleted ones count until they are purged.
 * Chosen: more than a year of the plan's daily credits in ordinary conversations. The largest plan takes a twentieth of one 10 GB D1 database.
 */
export const storedContentBytes = { guest: 8 * 1024 * 1024, free: 64 * 1024 * 1024, pro: 512 * 1024 * 1024 } as const
export const storedContentRows = { guest: 2_000, free: 20_000, pro: 200_000 } as const
/** The usage row shows the use rounded down to these steps (triggers of `contentUse`). Chosen: a feed row for every second short turn. */
export const contentStepBytes = 16 * 1024
export const contentStepRows = 4
/** Chosen: far above what anyone forks by hand. A fork copies up to 400 messages without a model, so nothing else limits it. */
export const forksPerDay = { guest: 10, free: 30, pro: 200 } as const
export const uploadsPerHour = { guest: 40, free: 120, pro: 600 } as const
/** A file that no message shows goes after this time. */
export const unusedFileKeptMs = 24 * 60 * 60 * 1000

/** Messages waiting in one thread for the answer before them. */
export const maxQueuedMessages = 10
/**
 * How long an open editor keeps a queued message from being sent after it was last heard of. Ours: a hidden tab may do something once a
 * minute, and nobody should wait longer than this for one that died.
 */
export const queueEditorMs = 3 * 60_000
export const maxQueueEditors = 8
/** A fork is one batch; this many messages and characters of them fit into it with room to spare. */
export const maxForkMessages = 400
export const maxForkChars = 4_000_000

/** A stored row larger than this is refused: D1 stops at 2 MB, and the local runtime does not say so. */
export const maxRowBytes = 1_900_000

/** The thread list is one window that grows by a page at a time. */
export const threadPageSize = 50
export const maxThreadWindow = 5_000
/** Exports of one user. Chosen: enough to try again after a broken download. */
export const exportsPerHour = 5
/** Chosen: an export whose client vanished blocks the next one for this long. A running export extends its lease. */
export const exportLeaseMs = 30_000
/** Chosen: a page takes D1 a few milliseconds. A page ends with the row that makes it this long. */
export const exportPageRows = 100
export const exportPageBytes = 256 * 1024
/**
 * A thread opens with its newest messages, and the window doubles as the user scrolls up. Chosen: 50 fill several screens. The largest window
 * is more than an account may store.
 */
export const messagePageSize = 50
export const maxMessageWindow = messagePageSize * 2 ** 12
/** A change of a plan names the message of the plan and its answer. */
export const maxMessagesById = 2
/** The newest messages of the most recent threads are preloaded, so that opening one is instant. Chosen: 6 messages fill most screens. */
export const preloadedThreads = 10
export const preloadedMessages = 6
/** What may be looked for in all of them, and in how many of them it is found. */
export const maxFindChars = 200
export const maxFoundThreads = 8
/** Threads that the page found itself and excludes from a search on the server: by their newest messages, and by their titles. */
export const maxLeftOut = preloadedThreads + 20

/** A deleted thread or message can be restored until the tidying job removes it for good. */
export const deletedThreadKeptMs = 30 * 24 * 60 * 60 * 1000
/** A guest who has not been seen for this long is removed, with everything. */
export const guestKeptMs = 30 * 24 * 60 * 60 * 1000
/** Deleting an account asks for a sign-in that is younger than this. */
export const freshSignInMs = 10 * 60 * 1000
export const maxNameChars = 32
/** Chosen: long enough for the signed image URLs of sign-in providers. */
export const maxImageUrlChars = 2000
/**
 * Sign-in limits for one e-mail address. `network` counts per IPv4 address or IPv6 /64, and `address` counts all networks together. A browser
 * in which the address has signed in before counts as `knownBrowser` alone. Chosen: one network cannot reach the limit of an address, and all
 * networks together guess a 6-digit code with a probability of about 3 in 100,000 per 10 minutes.
 */
export const signInMailsPer10Min = { network: 6, address: 24, knownBrowser: 6 } as const
export const codeTriesPer10Min = { network: 5, address: 30, knownBrowser: 10 } as const
/** Chosen: above what `codeTriesPer10Min` allows in the life of one code, so wrong tries of strangers do not void it. */
export const maxTriesPerCode = 100
/** Counted like the sign-in mails. Chosen: covers a few colleagues who invite the same address, and one network cannot stop the others. */
export const invitationMailsPerHour = { network: 5, address: 20 } as const
export const undoToastMs = 30_000
/** An answer of a deleted thread is stopped when nobody is offered to undo that any more, and whoever did has been heard. */
export const deletedTurnMs = undoToastMs + 10_000
/** As many of the newest deletions as every device is told, and of each kind; a screen has room for three. */
export const maxUndoOffers = 10

/** Specification section 9: query time-to-live, default and ceiling. */
export const queryTtlMs = 10 * 60 * 1000

/** Clients of one client group that have a progress row. Chosen: every page load that writes is a client, 140 a day for a week. */
export const maxClientsPerGroup = 1000
/** Above that limit, the progress of a disconnected client is removed after this time without a mutation. */
export const clientIdleMs = 7 * 24 * 60 * 60 * 1000
/** Specification section 9: linear retry. The delay before the nth retry of the identity request is n times this. */
export const identityRetryStepMs = 1000
/** Chosen: bounds the load of many waiting pages on a restarted server. */
export const identityRetryMaxMs = 30_000

export const maxFrameBytes = 1024 * 1024
/** What one person may write: so much at once, and so much in the long run. MUTATION_BURST and MUTATIONS_PER_SECOND override. */
export const mutationBurst = 100
export const mutationsPerSecond = 20
/**
 * Connects of the sync socket by one user, over all browsers. Chosen: after a deploy every connection that a user may have (100) reconnects at
 * once; after that one per second.
 */
export const connectBurst = 100
export const connectsPerSecond = 1
/** Client groups that connect for the first time, per user. Chosen: one per browser profile, or one per page load without IndexedDB. */
export const newClientGroupBurst = 20
export const newClientGroupsPerMinute = 20
/** Chosen: readers of one answer at a time, over all tabs and devices of its user. */
export const maxStreamReaders = 20
/** Chosen: at the limit, a reader of this age is replaced by a new one, because its connection may be gone unnoticed. */
export const readerReplacedAfterMs = 30_000
/** Generation: a segment is stored when it is this old, this long, or at a tool boundary. */
export const segmentFlushMs = 250
export const segmentFlushBytes = 4 * 1024
/**
 * How long a model may say nothing. Reasoning models and the gateways before them are silent for tens of seconds and then answer well,
 * so less would end good answers; more would keep a person waiting for a dead connection. MODEL_SILENCE_SECONDS overrides.
 */
export const modelSilenceMs = 60_000
/** A generation whose object says nothing for this long is sealed by its alarm: half of the 10 s in which a thread is to be ready again. */
export const generationHeartbeatMs = 5_000
export const generationMaxMs = 14 * 60 * 1000
/** How long a reader may wait at a stream whose generation has not been ordered yet. */
export const streamWaitMs = 10_000
/** Ours: a reader who has waited for this long is looked for elsewhere. Nearly all orders come sooner, and do not pay for the question. */
export const elsewhereMs = 1000

/** Chosen: wrong CRON_SECRETs that one network may send within ten minutes. */
export const maxWrongSecrets = 10
/** Chosen: a changed price at Stripe shows within this time. */
export const proPriceCacheMs = 10 * 60 * 1000
/** Chosen: how long a failed read of the price is not repeated by one isolate. */
export const proPriceRetryMs = 30 * 1000

/** Organizations. A membership is told to every other member, so their number is what bounds a write. */
export const maxOrganizationsPerPerson = 10
export const maxOrganizationMembers = 200
export const maxPendingInvitations = 100
export const maxTeams = 50
export const invitationLifeMs = 7 * 24 * 60 * 60 * 1000
export const maxOrganizationNameChars = 60
export const maxSlugChars = 40
export const maxTeamNameChars = 60
/** Chosen: room for a note or an id of another system. Every member's browser syncs the value. */
export const maxOrganizationMetadataChars = 200
/** The side of a square logo, and the most its data address may be long. */
export const logoPx = 128
export const maxLogoChars = 60_000
