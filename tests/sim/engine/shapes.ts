/** Queries of every supported form over the simulation's tables. */
import { type AST, createBuilder } from '@rocicorp/zero'
import { asQueryInternals } from '@rocicorp/zero/bindings'
import type { Rng } from '../../support/rng.ts'
import { kinds, messageIDs, modelIDs, roles, schema, texts, threadIDs } from './domain.ts'

const z = createBuilder(schema)

type Shape = (rng: Rng, limit: number) => unknown

export type Shapes = { readonly [name: string]: Shape }

/** Every supported form appears in some shape. */
export const shapes: Shapes = {
  recentThreads: (_, limit) => z.thread.where('userId', 'me').orderBy('updatedAt', 'desc').limit(limit),
  oneThread: (rng) => z.thread.where('id', rng.pick(threadIDs)).where('userId', 'me').related('messages').related('model').one(),
  pinnedOrUnranked: () =>
    z.thread.where(({ or, and, cmp }) => or(and(cmp('fixed', true), cmp('userId', 'me')), cmp('rank', 'IS', null))).related('messages'),
  threadsWithRole: (rng, limit) =>
    z.thread
      .where('userId', 'me')
      .whereExists('messages', (q) => q.where('role', rng.pick(roles)))
      .orderBy('title', 'asc')
      .limit(limit),
  messagesOfPinned: () => z.message.whereExists('thread', (q) => q.where('fixed', true).where('userId', 'me')),
  existsOrPinned: (rng) =>
    z.thread
      .where('userId', 'me')
      .where(({ or, exists, cmp }) =>
        or(
          exists('messages', (q) => q.where('role', rng.pick(roles))),
          cmp('fixed', true),
        ),
      )
      .related('messages', (q) => q.orderBy('createdAt', 'desc')),
  nestedRelated: (_, limit) =>
    z.thread
      .where('userId', 'me')
      .related('messages', (q) => q.related('attachments'))
      .orderBy('rank', 'desc')
      .limit(limit),
  nestedExists: (rng) =>
    z.thread.whereExists('messages', (q) => q.whereExists('attachments', (a) => a.where('kind', rng.pick(kinds)))).related('labels'),
  junction: (_, limit) => z.thread.where('userId', 'me').related('labels').orderBy('updatedAt', 'asc').limit(limit),
  existsJunction: (rng) => z.thread.whereExists('labels', (q) => q.where('name', rng.pick(texts))).related('messages'),
  relatedWithExists: (rng) =>
    z.thread
      .where('userId', 'me')
      .related('messages', (q) => q.whereExists('attachments', (a) => a.where('size', '>', rng.below(3))).related('parent')),
  firstByRank: () => z.thread.where('userId', 'me').orderBy('rank', 'desc').related('model').one(),
  lowRanks: (_, limit) => z.thread.orderBy('rank', 'asc').orderBy('fixed', 'desc').limit(limit),
  messageWindow: (rng, limit) =>
    z.message
      .where('role', 'IN', [rng.pick(roles), rng.pick(roles)])
      .orderBy('createdAt', 'desc')
      .limit(limit)
      .related('thread', (q) => q.related('model')),
  publicModels: (_, limit) =>
    z.model
      .where('isPublic', true)
      .whereExists('threads', (q) => q.where('userId', 'me'))
      .orderBy('maker', 'asc')
      .limit(limit),
  compared: (rng) =>
    z.message.where(({ and, or, cmp }) =>
      and(
        cmp('userId', 'me'),
        or(cmp('createdAt', '>=', 3 + rng.below(4)), cmp('text', '<', 'c'), cmp('role', 'NOT IN', ['tool', 'user'])),
      ),
    ),
  manyExists: (_, limit) =>
    z.thread
      .where(({ and, or, exists }) =>
        and(
          exists('model', (q) => q.where('isPublic', true)),
          or(exists('messages'), exists('labels')),
        ),
      )
      .related('labels')
      .orderBy('title', 'desc')
      .limit(limit),
  replies: (rng) =>
    z.message.whereExists('replies', (q) => q.where('role', rng.pick(roles))).related('replies', (q) => q.related('replies')),
  ownMessages: (rng, limit) =>
    z.thread
      .whereExists('ownMessages', (q) => q.where('role', '!=', rng.pick(roles)))
      .related('ownMessages')
      .orderBy('updatedAt', 'desc')
      .limit(limit),
  bareMessages: (_, limit) => z.message.orderBy('text', 'desc').limit(limit),
}

/** Queries of one root row each, and some of several. */
export const singleRowShapes: Shapes = {
  oneThread: (rng) => z.thread.where('id', rng.pick(threadIDs)).related('messages').related('model').one(),
  threadOfMine: (rng) =>
    z.thread
      .where('userId', 'me')
      .where('id', rng.pick(threadIDs))
      .related('ownMessages', (q) => q.related('attachments'))
      .related('labels')
      .one(),
  threadWithRole: (rng) =>
    z.thread
      .where('id', 'IS', rng.pick(threadIDs))
      .whereExists('messages', (q) => q.where('role', rng.pick(roles)).whereExists('attachments')),
  oneMessage: (rng) =>
    z.message
      .where('id', rng.pick(messageIDs))
      .related('attachments')
      .related('thread', (q) => q.related('messages'))
      .one(),
  messageWithReplies: (rng) =>
    z.message
      .where('id', rng.pick(messageIDs))
      .related('replies', (q) => q.related('replies'))
      .related('parent'),
  usedModel: (rng) => z.model.where('id', rng.pick(modelIDs)).whereExists('threads', (q) => q.where('userId', 'me')),
  eitherThread: (rng, limit) =>
    z.thread
      .where(({ or, cmp }) => or(cmp('id', rng.pick(threadIDs)), cmp('id', rng.pick(threadIDs))))
      .related('messages')
      .limit(limit),
  otherThreads: (rng, limit) => z.thread.where('id', '!=', rng.pick(threadIDs)).orderBy('updatedAt', 'desc').limit(limit),
  messages: () => z.message.related('attachments'),
  recentThreads: (_, limit) => z.thread.where('userId', 'me').orderBy('updatedAt', 'desc').limit(limit),
}

const threadsWithTexts = z.thread.where('userId', 'me').orderBy('title', 'asc')

/** Few queries with any limit or none, so that a group often has several windows of the same rows. */
export const windowShapes: Shapes = {
  recentThreads: (_, limit) => z.thread.where('userId', 'me').orderBy('updatedAt', 'desc').limit(limit),
  allThreads: () => threadsWithTexts,
  titledThreads: (_, limit) => threadsWithTexts.limit(limit),
  withMessages: (_, limit) =>
    z.thread
      .whereExists('messages', (q) => q.where('role', 'user'))
      .related('messages', (q) => q.related('attachments'))
      .orderBy('rank', 'desc')
      .limit(limit),
  messages: (_, limit) => z.message.orderBy('text', 'desc').limit(limit),
}

export function drawQuery(rng: Rng, forms: Shapes = shapes): { readonly name: string; readonly ast: AST } {
  const name = rng.pick(Object.keys(forms))
  const shape = forms[name]
  if (shape === undefined) throw new Error(`${name} is not a shape`)
  // Every shape returns a query of the builder. Its row type differs between shapes and does not matter here.
  const query = shape(rng, 1 + rng.below(6)) as Parameters<typeof asQueryInternals>[0]
  return { name, ast: asQueryInternals(query).ast }
}
