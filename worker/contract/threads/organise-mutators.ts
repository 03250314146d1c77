/**
 * Mutators that organise threads: pin, archive, delete, move to a project, and the projects themselves. Those of threads take several ids, so
 * that an action on a selection is one mutation that can be undone as one.
 */
import * as z from 'zod/mini'
import { attachedFile } from '../files/files.ts'
import { idSchema, modelIdSchema } from '../ids.ts'
import { maxProjectFiles, maxProjectInstructionsChars, maxProjectNameChars, maxProjects, maxThreadsPerMutation } from '../limits.ts'
import { at, findProject, mustFindThread, mutator, refuse, sourceIdsArg, type Tx, timeOf } from '../mutator-rules.ts'
import { plainNameSchema } from '../names.ts'
import { type RowOf, type Viewer, zql } from '../schema.ts'
import { projectColors, projectIcons } from './projects.ts'

const threadIds = z.array(idSchema).check(z.minLength(1), z.maxLength(maxThreadsPerMutation, 'too_many_threads'))
const pinArgs = z.object({ threadIds, isPinned: z.boolean(), at })
const archiveArgs = z.object({ threadIds, isArchived: z.boolean(), at })
const moveArgs = z.object({ threadIds, projectId: z.nullable(idSchema) })
const deleteArgs = z.object({ threadIds, at })
const restoreArgs = z.object({ threadIds })

const name = plainNameSchema(maxProjectNameChars, 'project_name')
const optionalFields = {
  icon: z.optional(z.enum(projectIcons)),
  color: z.optional(z.enum(projectColors)),
  instructions: z.optional(z.string().check(z.maxLength(maxProjectInstructionsChars))),
  modelId: z.optional(z.nullable(modelIdSchema)),
  isMemoryOff: z.optional(z.boolean()),
  offTools: z.optional(sourceIdsArg),
}
const createArgs = z.object({ id: idSchema, at, name, ...optionalFields })
const updateArgs = z.object({ id: idSchema, at, name: z.optional(name), ...optionalFields })
const projectArgs = z.object({ id: idSchema, at })
const addFileArgs = z.object({ id: idSchema, file: attachedFile, at })
const removeFileArgs = z.object({ id: idSchema, fileId: idSchema, at })

/** The user's threads among these ids, also deleted ones. */
const threadsIn = (tx: Tx, { userId }: Viewer, ids: readonly string[]): Promise<readonly RowOf<'thread'>[]> =>
  tx.run(zql.thread.where('userId', userId).where('id', 'IN', [...new Set(ids)]))

/**
 * The user's threads among these ids. A thread that another device deleted meanwhile is left out; only a selection without any thread is
 * refused.
 */
async function mustFindThreads(tx: Tx, ctx: Viewer, ids: readonly string[], isListed = true): Promise<RowOf<'thread'>[]> {
  const threads = (await threadsIn(tx, ctx, ids)).filter(({ deletedAt }) => deletedAt == null)
  // The browser may no longer have threads that are in none of its lists. Then only the server's write changes them.
  if (threads.length === 0 && (isListed || tx.location === 'server')) throw refuse('not_found')
  return threads
}

/** Refuses temporary threads: pinning, archiving or moving one would keep it. */
async function mustFindKeptThreads(tx: Tx, ctx: Viewer, ids: readonly string[], isListed = true): Promise<RowOf<'thread'>[]> {
  const threads = await mustFindThreads(tx, ctx, ids, isListed)
  if (threads.some(({ expiresAt }) => expiresAt != null)) throw refuse('thread_temporary')
  return threads
}

/** `deletedAt` of a temporary thread: its turn stops, no undo is offered, and the next scheduled run deletes its rows and files. */
const permanentlyDeletedAtMs = 1

const mustFindProject = async (tx: Tx, ctx: Viewer, id: string): Promise<RowOf<'project'>> => {
  const project = await findProject(tx, ctx, id)
  if (!project) throw refuse('not_found')
  return project
}

export const mustFindModel = async (tx: Tx, modelId: string | null | undefined): Promise<void> => {
  if (modelId != null && !(await tx.run(zql.model.where('id', modelId).one()))) throw refuse('no_model')
}

export const organiseMutators = {
  pin: mutator({ args: pinArgs }, async ({ tx, args, ctx }) => {
    const pinnedAt = args.isPinned ? timeOf(ctx, args.at) : null
    for (const { id } of await mustFindKeptThreads(tx, ctx, args.threadIds)) await tx.mutate.thread.update({ id, pinnedAt })
  }),

  /** An archived thread is in no list but that of the archive. A new message in it restores it (`startTurn`). */
  archive: mutator({ args: archiveArgs }, async ({ tx, args, ctx }) => {
    const archivedAt = args.isArchived ? timeOf(ctx, args.at) : null
    const threads = await mustFindKeptThreads(tx, ctx, args.threadIds, args.isArchived)
    for (const { id } of threads) await tx.mutate.thread.update({ id, archivedAt })
  }),

  /** Moves threads into a project, or with null out of every project. */
  move: mutator({ args: moveArgs }, async ({ tx, args, ctx }) => {
    const { projectId } = args
    const threads = await mustFindKeptThreads(tx, ctx, args.threadIds)
    if (projectId !== null) await mustFindProject(tx, ctx, projectId)
    for (const { id } of threads) await tx.mutate.thread.update({ id, projectId })
  }),

  /** A running answer continues while the deletion can be undone (worker/turns/turn-commands.ts), so undoing restores it as well. */
  delete: mutator({ args: deleteArgs, reduces: true }, async ({ tx, args, ctx }) => {
    const nowMs = timeOf(ctx, args.at)
    for (const { id, expiresAt } of await mustFindThreads(tx, ctx, args.threadIds))
      await tx.mutate.thread.update({ id, deletedAt: expiresAt == null ? nowMs : permanentlyDeletedAtMs })
  }),

  /** Undoes `delete`, except for temporary threads. The browser may no longer have the rows; then only the server's write restores them. */
  restore: mutator({ args: restoreArgs, reduces: true }, async ({ tx, args, ctx }) => {
    const threads = (await threadsIn(tx, ctx, args.threadIds)).filter(({ expiresAt }) => expiresAt == null)
    if (threads.length === 0 && tx.location === 'server') throw refuse('not_found')
    for (const { id, deletedAt } of threads) if (deletedAt != null) await tx.mutate.thread.update({ id, deletedAt: null })
  }),
}

export const projectMutators = {
  create: mutator({ args: createArgs }, async ({ tx, args: { at: clientMs, ...fields }, ctx }) => {
    const nowMs = timeOf(ctx, clientMs)
    const projects = await tx.run(zql.project.where('userId', ctx.userId))
    // A repeated insert is a no-op, and another user's project with this id is not in the replica.
    if (projects.some(({ id }) => id === fields.id)) throw refuse('invalid_request')
    if (projects.length >= maxProjects) throw refuse('project_limit_reached')
    await mustFindModel(tx, fields.modelId)
    await tx.mutate.project.insert({ ...fields, userId: ctx.userId, createdAt: nowMs, updatedAt: nowMs })
  }),

  update: mutator({ args: updateArgs }, async ({ tx, args: { at: clientMs, ...fields }, ctx }) => {
    await mustFindProject(tx, ctx, fields.id)
    await mustFindModel(tx, fields.modelId)
    await tx.mutate.project.update({ ...fields, updatedAt: timeOf(ctx, clientMs) })
  }),

  /** D1 refuses a file of another user (migrations/0006_files.sql). */
  addFile: mutator({ args: addFileArgs }, async ({ tx, args: { id, file, at: clientMs }, ctx }) => {
    const { files } = await mustFindProject(tx, ctx, id)
    const others = (files ?? []).filter((other) => other.id !== file.id)
    if (others.length >= maxProjectFiles) throw refuse('project_files_full')
    await tx.mutate.project.update({ id, files: [...others, file], updatedAt: timeOf(ctx, clientMs) })
  }),

  removeFile: mutator({ args: removeFileArgs, reduces: true }, async ({ tx, args: { id, fileId, at: clientMs }, ctx }) => {
    const { files } = await mustFindProject(tx, ctx, id)
    const others = (files ?? []).filter((other) => other.id !== fileId)
    await tx.mutate.project.update({ id, files: others, updatedAt: timeOf(ctx, clientMs) })
  }),

  /** The threads of a deleted project are kept. They show no project, and show it again after `restore`. */
  delete: mutator({ args: projectArgs, reduces: true }, async ({ tx, args, ctx }) => {
    const { id } = await mustFindProject(tx, ctx, args.id)
    await tx.mutate.project.update({ id, deletedAt: timeOf(ctx, args.at) })
  }),

  restore: mutator({ args: projectArgs, reduces: true }, async ({ tx, args, ctx }) => {
    const project = await tx.run(zql.project.where('id', args.id).where('userId', ctx.userId).one())
    // As for threads: the browser may no longer have the row.
    if (project) await tx.mutate.project.update({ id: project.id, deletedAt: null })
    else if (tx.location === 'server') throw refuse('not_found')
  }),
}

/** `unreadAt`: the column of the thread as the page has it. */
const unreadArgs = z.object({ threadId: idSchema, unreadAt: z.int().check(z.gte(0)) })

/**
 * Unread answers. The end of a turn sets `thread.unreadAt` (worker/db/turn-endings.ts). A page that shows the thread clears it. Before a page
 * notifies the user, it claims the answer. The server accepts one claim for each answer, so only one page on all devices shows the notification.
 */
export const unreadMutators = {
  /** Does nothing if a newer answer has ended since: the page has not shown that one. */
  markRead: mutator({ args: unreadArgs }, async ({ tx, args, ctx }) => {
    const { id, unreadAt } = await mustFindThread(tx, ctx, args.threadId)
    if (unreadAt != null && unreadAt <= args.unreadAt) await tx.mutate.thread.update({ id, unreadAt: null })
  }),

  claimNotice: mutator({ args: unreadArgs }, async ({ tx, args, ctx }) => {
    const { id, unreadAt, noticedAt } = await mustFindThread(tx, ctx, args.threadId)
    if (unreadAt !== args.unreadAt || noticedAt === unreadAt) throw refuse('not_found')
    await tx.mutate.thread.update({ id, noticedAt: unreadAt })
  }),
}
