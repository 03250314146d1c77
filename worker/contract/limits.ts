/**
 * Every product limit, its unit in its name. Platform limits live beside the code that meets them;
 * these are ours to choose, and both sides read them here.
 */

/** Specification section 9: guests and free users 20 a day, PRO 200. */
export const creditsPerDay = { guest: 20, free: 20, pro: 200 } as const
export const searchesPerDay = { guest: 5, free: 5, pro: 50 } as const
export const researchesPerDay = { guest: 0, free: 0, pro: 15 } as const

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
export const maxPageBytes = 2 * 1024 * 1024
export const pageTimeoutMs = 10_000
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
/** This many most recent threads are preloaded with their messages, so that opening one is instant. */
export const preloadedThreads = 10
/** What may be looked for in all of them, and in how many of them it is found. */
export const maxFindChars = 200
export const maxFoundThreads = 8
/** Threads that a page has already, and asks to be left out: those it holds, and those it found by their titles. */
export const maxLeftOut = preloadedThreads + 20

/** A deleted thread or message can be restored until the tidying job removes it for good. */
export const deletedThreadKeptMs = 30 * 24 * 60 * 60 * 1000
/** A guest who has not been seen for this long is removed, with everything. */
export const guestKeptMs = 30 * 24 * 60 * 60 * 1000
/** Deleting an account asks for a sign-in that is younger than this. */
export const freshSignInMs = 10 * 60 * 1000
export const maxNameChars = 32
export const undoToastMs = 30_000
/** An answer of a deleted thread is stopped when nobody is offered to undo that any more, and whoever did has been heard. */
export const deletedTurnMs = undoToastMs + 10_000
/** As many of the newest deletions as every device is told, and of each kind; a screen has room for three. */
export const maxUndoOffers = 10

/** Specification section 9: query time-to-live, default and ceiling. */
export const queryTtlMs = 10 * 60 * 1000

export const maxFrameBytes = 1024 * 1024
/** What one person may write: so much at once, and so much in the long run. MUTATION_BURST and MUTATIONS_PER_SECOND override. */
export const mutationBurst = 100
export const mutationsPerSecond = 20
/** Generation: a segment is stored when it is this old, this long, or at a tool boundary. */
export const segmentFlushMs = 250
export const segmentFlushBytes = 4 * 1024
/**
 * How long a model may say nothing. Reasoning models and the gateways before them are silent for tens of seconds and then answer well,
 * so less would end good answers; more would keep a person waiting for a dead connection. MODEL_SILENCE_SECONDS overrides.
 */
export const modelSilenceMs = 60_000
/**
 * Requests to models, of all answers of one person, that were made and have not begun to be answered; those behind them wait in line, for as
 * long as a model may say nothing. Of the six connections that one object may wait for, two are left for the record, tools and titles.
 */
export const maxAskedModels = 4
/** A generation whose object says nothing for this long is sealed by its alarm: half of the 10 s in which a thread is to be ready again. */
export const generationHeartbeatMs = 5_000
export const generationMaxMs = 14 * 60 * 1000
/** How long a reader may wait at a stream whose generation has not been ordered yet. */
export const streamWaitMs = 10_000
/** Ours: a reader who has waited for this long is looked for elsewhere. Nearly all orders come sooner, and do not pay for the question. */
export const elsewhereMs = 1000

/** Organizations. A membership is told to every other member, so their number is what bounds a write. */
export const maxOrganizationsPerPerson = 10
export const maxOrganizationMembers = 200
export const maxPendingInvitations = 100
export const maxTeams = 50
export const invitationLifeMs = 7 * 24 * 60 * 60 * 1000
export const maxOrganizationNameChars = 60
export const maxSlugChars = 40
export const maxTeamNameChars = 60
/** The side of a square logo, and the most its data address may be long. */
export const logoPx = 128
export const maxLogoChars = 60_000
