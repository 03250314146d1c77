/**
 * The named queries: argument schemas and visibility rules. A client sends a name and arguments. The server builds the query for its own
 * viewer, so a client cannot read rows of another user.
 */
import { defineQueries, defineQuery } from '@rocicorp/zero'
import * as z from 'zod/mini'
import { idSchema } from './ids.ts'
import {
  maxBookmarkWindow,
  maxDailyUseRows,
  maxDeletedThreads,
  maxImportThreads,
  maxMessagesById,
  maxMessageWindow,
  maxPinnedThreads,
  maxShares,
  maxShownApprovals,
  maxThreadWindow,
  maxUndoOffers,
} from './limits.ts'
import { longThreadTokens, offlineThreads, preloadedThreads } from './preload-limits.ts'
import { zql } from './schema.ts'

const visibleThreads = (userId: string) => zql.thread.where('userId', userId).where('deletedAt', 'IS', null)
/** A temporary thread is in no list, and only `threads.one` returns it. */
const permanentThreads = (userId: string) => visibleThreads(userId).where('expiresAt', 'IS', null)
/** The threads of the lists; an archived thread is only in the archive. */
const listedThreads = (userId: string) => permanentThreads(userId).where('archivedAt', 'IS', null)
const visibleMessages = (userId: string) => zql.message.where('userId', userId).where('deletedAt', 'IS', null)

/** Epoch ms, or UTC days since the epoch. */
const sinceArgs = z.object({ since: z.int().check(z.gte(0)) })

/** The draft of a thread; null: of the next new thread. After a guest was linked, two rows can exist; one that has not ended comes first. */
export const draftQuery = (userId: string, threadId: string | null) =>
  zql.draft
    .where('userId', userId)
    .where('threadId', 'IS', threadId)
    .orderBy('deletedAt', 'asc')
    .orderBy('updatedAt', 'desc')
    .limit(1)
    .one()

const windowLimit = z.int().check(z.gte(1), z.lte(maxThreadWindow))
const windowArgs = z.object({ limit: windowLimit })

export const queries = defineQueries({
  /** The signed-in user with setting (and its model), usage and customer. */
  me: defineQuery(({ ctx }) =>
    zql.user
      .where('id', ctx.userId)
      .related('setting', (setting) => setting.related('model'))
      .related('usage')
      .related('customer')
      .one(),
  ),
  models: {
    all: defineQuery(() => zql.model.orderBy('position', 'asc')),
  },
  threads: {
    /** The sidebar: one window, newest first, with a growing limit. */
    list: defineQuery(windowArgs, ({ args, ctx }) => listedThreads(ctx.userId).orderBy('updatedAt', 'desc').limit(args.limit)),
    pinned: defineQuery(({ ctx }) =>
      listedThreads(ctx.userId).where('pinnedAt', '>', 0).orderBy('pinnedAt', 'desc').limit(maxPinnedThreads),
    ),
    archived: defineQuery(windowArgs, ({ args, ctx }) =>
      permanentThreads(ctx.userId).where('archivedAt', '>', 0).orderBy('archivedAt', 'desc').limit(args.limit),
    ),
    ofProject: defineQuery(z.object({ projectId: idSchema, limit: windowLimit }), ({ args, ctx }) =>
      listedThreads(ctx.userId).where('projectId', args.projectId).orderBy('updatedAt', 'desc').limit(args.limit),
    ),
    /** Preloaded together with their newest messages (`messages.newest`), so that opening a recent thread needs no request. */
    recent: defineQuery(({ ctx }) =>
      listedThreads(ctx.userId)
        .related('queue', (queue) => queue.orderBy('createdAt', 'asc'))
        .orderBy('updatedAt', 'desc')
        .limit(preloadedThreads),
    ),
    /** The newest threads with all of their messages, to open them without a network. A growing limit, like that of `list`. */
    whole: defineQuery(z.object({ limit: z.int().check(z.gte(1), z.lte(Math.max(...offlineThreads))) }), ({ args, ctx }) =>
      listedThreads(ctx.userId)
        .where(({ or, cmp }) => or(cmp('tokens', 'IS', null), cmp('tokens', '<', longThreadTokens)))
        .related('messages', (messages) => messages.where('deletedAt', 'IS', null))
        .orderBy('updatedAt', 'desc')
        .limit(args.limit),
    ),
    one: defineQuery(z.object({ threadId: idSchema }), ({ args, ctx }) =>
      visibleThreads(ctx.userId)
        .where('id', args.threadId)
        .related('queue', (queue) => queue.orderBy('createdAt', 'asc'))
        .one(),
    ),
    /** Threads that an import has already created, also deleted ones. */
    imported: defineQuery(z.object({ threadIds: z.array(idSchema).check(z.maxLength(maxImportThreads)) }), ({ args, ctx }) =>
      zql.thread.where('userId', ctx.userId).where('id', 'IN', args.threadIds),
    ),
    /** Threads deleted since then, newest first, for the undo offers. */
    deleted: defineQuery(sinceArgs, ({ args, ctx }) =>
      zql.thread
        .where('userId', ctx.userId)
        .where('expiresAt', 'IS', null)
        .where('deletedAt', '>', args.since)
        .orderBy('deletedAt', 'desc')
        .limit(maxDeletedThreads),
    ),
  },
  usage: {
    /** Newest first, since a day. */
    daily: defineQuery(sinceArgs, ({ args, ctx }) =>
      zql.dailyUse.where('userId', ctx.userId).where('day', '>=', args.since).orderBy('day', 'desc').limit(maxDailyUseRows),
    ),
  },
  presence: {
    ofThread: defineQuery(z.object({ threadId: idSchema }), ({ args, ctx }) =>
      zql.presence.where('userId', ctx.userId).where('threadId', args.threadId),
    ),
  },
  projects: {
    all: defineQuery(({ ctx }) => zql.project.where('userId', ctx.userId).where('deletedAt', 'IS', null).orderBy('name', 'asc')),
  },
  prompts: {
    mine: defineQuery(({ ctx }) => zql.prompt.where('userId', ctx.userId).where('deletedAt', 'IS', null).orderBy('name', 'asc')),
    /** The viewer's memberships, each with its organization and the prompts that members share with it. */
    shared: defineQuery(({ ctx }) =>
      zql.member
        .where('userId', ctx.userId)
        .related('organization', (organization) =>
          organization.related('prompts', (prompts) => prompts.where('deletedAt', 'IS', null).orderBy('name', 'asc')),
        ),
    ),
  },
  memories: {
    /** The facts that are not deleted, each with its thread and the deleted messages of that thread, which `isPresent` needs. */
    mine: defineQuery(({ ctx }) =>
      zql.memory
        .where('userId', ctx.userId)
        .where('deletedAt', 'IS', null)
        .related('thread', (thread) => thread.related('messages', (messages) => messages.where('deletedAt', 'IS NOT', null)))
        .orderBy('createdAt', 'desc'),
    ),
  },
  approvals: {
    /** The newest first. The approvals of the shown messages are among them, unless the thread has hundreds of calls. */
    ofThread: defineQuery(z.object({ threadId: idSchema }), ({ args, ctx }) =>
      zql.approval.where('userId', ctx.userId).where('threadId', args.threadId).orderBy('createdAt', 'desc').limit(maxShownApprovals),
    ),
  },
  drafts: {
    one: defineQuery(z.object({ threadId: z.nullable(idSchema) }), ({ args, ctx }) => draftQuery(ctx.userId, args.threadId)),
  },
  summaries: {
    /** On every branch. The page uses those of the shown one. */
    ofThread: defineQuery(z.object({ threadId: idSchema }), ({ args, ctx }) =>
      zql.summary.where('userId', ctx.userId).where('threadId', args.threadId),
    ),
  },
  toolServers: {
    mine: defineQuery(({ ctx }) => zql.toolServer.where('userId', ctx.userId).orderBy('name', 'asc')),
    /** The viewer's memberships, each with its organization and the servers of that organization. */
    ofOrganizations: defineQuery(({ ctx }) =>
      zql.member
        .where('userId', ctx.userId)
        .related('organization', (organization) => organization.related('toolServers', (servers) => servers.orderBy('name', 'asc'))),
    ),
  },
  shares: {
    /** Links that were not revoked, newest first, each with its thread. As many as can be live may have expired within the last day. */
    mine: defineQuery(({ ctx }) =>
      zql.share
        .where('userId', ctx.userId)
        .where('revokedAt', 'IS', null)
        .related('thread')
        .orderBy('createdAt', 'desc')
        .limit(2 * maxShares),
    ),
  },
  messages: {
    /**
     * The newest messages of a thread on every branch, in one window with a growing limit. A message is newer than its parent, so the
     * window holds all descendants of its messages.
     */
    newest: defineQuery(
      z.object({ threadId: idSchema, limit: z.int().check(z.gte(1), z.lte(maxMessageWindow)) }),
      ({ args: { threadId, limit }, ctx }) =>
        visibleMessages(ctx.userId).where('threadId', threadId).orderBy('createdAt', 'desc').orderBy('id', 'desc').limit(limit),
    ),
    /** The versions of a thread's first message. A window can contain some of them without the others. */
    beginnings: defineQuery(z.object({ threadId: idSchema }), ({ args, ctx }) =>
      visibleMessages(ctx.userId).where('threadId', args.threadId).where('parentId', 'IS', null),
    ),
    /** Messages that a page needs regardless of the window. */
    byIds: defineQuery(z.object({ messageIds: z.array(idSchema).check(z.maxLength(maxMessagesById)) }), ({ args, ctx }) =>
      visibleMessages(ctx.userId).where('id', 'IN', args.messageIds),
    ),
    /** Messages of deleted threads stay out, and return with them. */
    bookmarked: defineQuery(z.object({ limit: z.int().check(z.gte(1), z.lte(maxBookmarkWindow)) }), ({ args, ctx }) =>
      visibleMessages(ctx.userId)
        .where('bookmarkedAt', '>', 0)
        .whereExists('thread', (thread) => thread.where('deletedAt', 'IS', null))
        .related('thread')
        .orderBy('bookmarkedAt', 'desc')
        .limit(args.limit),
    ),
    deleted: defineQuery(sinceArgs, ({ args, ctx }) =>
      zql.message.where('userId', ctx.userId).where('deletedAt', '>', args.since).orderBy('deletedAt', 'desc').limit(maxUndoOffers),
    ),
  },
  organizations: {
    /** The viewer's memberships, each with its organization and that organization's members and customer. */
    mine: defineQuery(({ ctx }) =>
      zql.member.where('userId', ctx.userId).related('organization', (organization) => organization.related('members').related('customer')),
    ),
    /** The rows of the team screens for one organization. */
    one: defineQuery(z.object({ organizationId: idSchema }), ({ args, ctx }) =>
      zql.member
        .where('userId', ctx.userId)
        .where('organizationId', args.organizationId)
        .related('organization', (organization) =>
          organization
            .related('members', (members) => members.related('profile').orderBy('createdAt', 'asc'))
            .related('invitations', (invitations) => invitations.where('status', 'pending').orderBy('createdAt', 'desc'))
            .related('teams', (teams) => teams.related('members').orderBy('createdAt', 'asc'))
            .related('customer'),
        )
        .one(),
    ),
  },
})
