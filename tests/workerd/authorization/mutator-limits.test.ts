// Every mutator, called by users of each plan who have reached a limit: refused with the limit's code, or applied. A mutator without a row fails.
import { expect, test } from 'vitest'
import { dayOf } from '../../../worker/contract/access.ts'
import {
  contentStepRows,
  forksPerDay,
  guestNetworkCreditsPerDay,
  mutationsPerDay,
  storedContentRows,
} from '../../../worker/contract/limits.ts'
import { newId } from '../../../worker/db/new-id.ts'
import { mutatorNames } from '../../support/contract-names.ts'
import {
  approvalRow,
  insert,
  insertStatement,
  messageRow,
  projectRow,
  queuedRow,
  shareRow,
  threadRow,
  waitingPart,
} from '../../support/rows.ts'
import { promptRow } from '../../support/rows-of-writing.ts'
import { content, env } from '../bindings.ts'
import { connected, me } from '../sync-wire.ts'
import { fileCalled, newTestUser } from './scene.ts'

const { DB } = env

/** A thread with a question and a plan, a deleted message, and a queued message; and a deleted thread. */
type Ids = {
  readonly [name in
    | 'threadId'
    | 'questionId'
    | 'planId'
    | 'deletedId'
    | 'queuedId'
    | 'deletedThreadId'
    | 'projectId'
    | 'shareId'
    | 'promptId'
    | 'approvalId'
    | 'askingId'
    | 'askingThreadId'
    | 'fileId']: string
}

type LimitCode = 'content_full' | 'fork_limit_reached' | 'guest_limit_reached' | 'mutation_limit_reached'
type Row = { readonly args: (things: Ids) => object; readonly refused: readonly LimitCode[] }

const place = ({ threadId, planId }: Ids) => ({ threadId, messageId: planId, at: 1 })
const turn = ({ threadId }: Ids) => ({ threadId, modelId: 'kimi-k2', answerId: newId(), at: 1 })
const imported = (id: string) => ({
  threads: [
    {
      ...{ id: newId(), title: 'Tea', headId: id, createdAt: 1, updatedAt: 1 },
      messages: [{ id, parentId: null, role: 'user', text: 'Hello', createdAt: 1 }],
    },
  ],
  at: 1,
})
const changes = ['mutation_limit_reached'] as const
const writes = ['content_full', ...changes] as const
const spends = ['guest_limit_reached', ...writes] as const

const rows: { readonly [mutator: string]: Row } = {
  'threads.send': { args: (of) => ({ ...turn(of), messageId: newId(), parentId: of.planId, text: 'Hello' }), refused: spends },
  'threads.answer': { args: (of) => ({ ...turn(of), parentId: of.questionId }), refused: spends },
  'threads.fork': { args: (of) => ({ ...place(of), newThreadId: newId() }), refused: [...writes, 'fork_limit_reached'] },
  'threads.import': { args: () => imported(newId()), refused: writes },
  'threads.stop': { args: ({ threadId }) => ({ threadId }), refused: [] },
  'threads.rename': { args: ({ threadId }) => ({ threadId, title: 'Tea' }), refused: changes },
  'threads.setEffort': { args: ({ threadId }) => ({ threadId, modelId: 'gpt-5', effort: 'low' }), refused: changes },
  'threads.setOffTools': { args: ({ threadId }) => ({ threadId, offTools: ['web'] }), refused: changes },
  'threads.pin': { args: ({ threadId }) => ({ threadIds: [threadId], isPinned: true, at: 1 }), refused: changes },
  'threads.archive': { args: ({ threadId }) => ({ threadIds: [threadId], isArchived: true, at: 1 }), refused: changes },
  'threads.move': { args: ({ threadId, projectId }) => ({ threadIds: [threadId], projectId }), refused: changes },
  'threads.markRead': { args: ({ threadId }) => ({ threadId, unreadAt: 5 }), refused: changes },
  'threads.claimNotice': { args: ({ threadId }) => ({ threadId, unreadAt: 5 }), refused: changes },
  'threads.delete': { args: ({ threadId }) => ({ threadIds: [threadId], at: 1 }), refused: [] },
  'threads.restore': { args: ({ deletedThreadId }) => ({ threadIds: [deletedThreadId] }), refused: [] },
  'projects.create': { args: () => ({ id: newId(), name: 'Tea', at: 1 }), refused: writes },
  'projects.update': { args: ({ projectId }) => ({ id: projectId, name: 'Tea', at: 1 }), refused: changes },
  'projects.addFile': { args: ({ projectId, fileId }) => ({ id: projectId, file: fileCalled(fileId), at: 1 }), refused: changes },
  'projects.removeFile': { args: ({ projectId, fileId }) => ({ id: projectId, fileId, at: 1 }), refused: [] },
  'projects.delete': { args: ({ projectId }) => ({ id: projectId, at: 1 }), refused: [] },
  'projects.restore': { args: ({ projectId }) => ({ id: projectId, at: 1 }), refused: [] },
  'prompts.save': { args: () => ({ id: newId(), name: 'Tea', text: 'About tea' }), refused: writes },
  'prompts.share': { args: ({ promptId }) => ({ id: promptId, organizationId: null }), refused: changes },
  'prompts.delete': { args: ({ promptId }) => ({ id: promptId }), refused: [] },
  'prompts.restore': { args: ({ promptId }) => ({ id: promptId }), refused: [] },
  'approvals.decide': { args: ({ approvalId }) => ({ id: approvalId, answerId: newId(), decision: 'once' }), refused: spends },
  'approvals.renew': { args: ({ askingThreadId: threadId, askingId }) => ({ threadId, messageId: askingId }), refused: changes },
  'approvals.revoke': { args: ({ threadId }) => ({ threadId, sourceId: 'notes', tool: 'save_note' }), refused: [] },
  'drafts.save': { args: ({ threadId }) => ({ threadId, text: 'Half', revision: newId(), base: null }), refused: writes },
  'shares.create': {
    args: ({ threadId, planId }) => ({ threadId, messageId: planId, name: null, lifetime: null, isListed: false }),
    refused: changes,
  },
  'shares.revoke': { args: ({ shareId }) => ({ id: shareId }), refused: [] },
  'threads.show': { args: place, refused: changes },
  'messages.bookmark': { args: (of) => ({ ...place(of), isBookmarked: true }), refused: changes },
  'messages.delete': { args: place, refused: [] },
  'messages.restore': { args: ({ threadId, deletedId }) => ({ threadId, messageId: deletedId }), refused: [] },
  'queue.add': { args: (of) => ({ ...turn(of), id: newId(), text: 'Hello' }), refused: writes },
  'queue.edit': { args: ({ queuedId }) => ({ id: queuedId, mode: 'chat', at: 1 }), refused: changes },
  'queue.remove': { args: ({ queuedId }) => ({ id: queuedId }), refused: [] },
  'queue.send': { args: ({ queuedId }) => ({ id: queuedId, at: 1 }), refused: spends },
  'research.putStep': { args: (of) => ({ ...place(of), stepId: 'step-3', text: 'Who drinks it?' }), refused: writes },
  'research.removeStep': { args: (of) => ({ ...place(of), stepId: 'step-1' }), refused: [] },
  'research.dismiss': { args: (of) => ({ ...place(of), isDismissed: true }), refused: changes },
  // Research is not available to guests.
  'research.start': { args: (of) => ({ ...place(of), answerId: newId(), modelId: 'kimi-k2' }), refused: writes },
  'settings.update': { args: () => ({ nickname: 'Ada' }), refused: changes },
}

test('every mutator has a row', () => {
  expect(mutatorNames).toEqual(Object.keys(rows).sort())
})

/** They start an answer, which other tests cover. */
const openers = new Set(['threads.send', 'threads.answer', 'queue.send', 'research.start', 'approvals.decide'])

type Plan = keyof typeof storedContentRows
const run = (sql: string, ...values: (string | number | null)[]) =>
  content
    .prepare(sql)
    .bind(...values)
    .run()

const limits: { readonly [code in LimitCode]: (userId: string, plan: Plan) => Promise<unknown> } = {
  // Above the limit, so that the storage is still full after `queue.remove` deletes a row.
  content_full: (userId, plan) => run('update contentUse set rows = ? where userId = ?', storedContentRows[plan] + contentStepRows, userId),
  fork_limit_reached: (userId, plan) =>
    run('update contentUse set forks = ?, forkDay = ? where userId = ?', forksPerDay[plan], dayOf(Date.now()), userId),
  mutation_limit_reached: (userId, plan) =>
    run('update contentUse set mutations = ?, mutationDay = ? where userId = ?', mutationsPerDay[plan], dayOf(Date.now()), userId),
  guest_limit_reached: (userId) =>
    run(
      `insert into guestUse (day, network, credits) select ?2, network, ?3 from guestNetwork where userId = ?1 union all select ?2, '', ?3
       on conflict (day, network) do update set credits = excluded.credits`,
      ...[userId, dayOf(Date.now()), guestNetworkCreditsPerDay],
    ),
}

async function givenUser(plan: Plan) {
  const user = await newTestUser(plan !== 'guest')
  const subscription = { id: 's', status: 'active', currentPeriodEndMs: Date.now() + 60_000_000, cancelAtPeriodEnd: false }
  if (plan === 'pro') await insert(DB, 'userCustomer', { id: newId(), userId: user.userId, subscription: JSON.stringify(subscription) })
  return user
}

/** A thread whose last answer waits for an approval. */
function askingStatements(
  userId: string,
  { threadId, answerId, approvalId }: { readonly threadId: string; readonly answerId: string; readonly approvalId: string },
) {
  const questionId = newId()
  const metadata = { modelId: 'kimi-k2', modelName: 'Kimi K2', modelIcon: 'i', ending: 'completed', credits: 0 }
  const message = JSON.stringify({ id: answerId, role: 'assistant', parts: [waitingPart(approvalId)], metadata })
  return [
    insertStatement(content, 'thread', threadRow(userId, { id: threadId, headId: answerId })),
    insertStatement(content, 'message', messageRow(userId, threadId, { id: questionId })),
    insertStatement(content, 'message', messageRow(userId, threadId, { id: answerId, parentId: questionId, message })),
    insertStatement(content, 'approval', approvalRow(userId, threadId, answerId, { id: approvalId, expiresAt: Date.now() + 60_000_000 })),
  ]
}

async function givenThings(userId: string): Promise<Ids> {
  const things = {
    threadId: newId(),
    questionId: newId(),
    planId: newId(),
    deletedId: newId(),
    queuedId: newId(),
    deletedThreadId: newId(),
    projectId: newId(),
    shareId: newId(),
    promptId: newId(),
    fileId: newId(),
    approvalId: newId(),
    askingId: newId(),
    askingThreadId: newId(),
  }
  const { threadId, questionId, planId, deletedId, queuedId, deletedThreadId, projectId, shareId, promptId, fileId } = things
  const { approvalId, askingId, askingThreadId } = things
  const steps = ['step-1', 'step-2'].map((id) => ({ id, text: 'Where tea grows', queries: [] }))
  const parts = [{ type: 'tool-plan', toolCallId: 'plan', state: 'output-available', input: {}, output: { steps } }]
  const metadata = { modelId: 'kimi-k2', modelName: 'Kimi K2', modelIcon: 'i', ending: 'completed', credits: 0, mode: 'research' }
  const message = JSON.stringify({ id: planId, role: 'assistant', parts, metadata })
  await content.batch([
    insertStatement(content, 'thread', threadRow(userId, { id: threadId, headId: planId, unreadAt: 5 })),
    insertStatement(content, 'thread', threadRow(userId, { id: deletedThreadId, deletedAt: 5 })),
    insertStatement(content, 'project', projectRow(userId, { id: projectId })),
    insertStatement(content, 'attachment', { ...fileCalled(fileId), userId, uploadId: fileId, etag: '"a"', storedAt: 1, createdAt: 1 }),
    insertStatement(content, 'prompt', promptRow(userId, { id: promptId })),
    insertStatement(content, 'message', messageRow(userId, threadId, { id: questionId })),
    insertStatement(content, 'message', messageRow(userId, threadId, { id: planId, parentId: questionId, message })),
    insertStatement(content, 'share', shareRow(userId, threadId, planId, { id: shareId })),
    insertStatement(content, 'message', messageRow(userId, threadId, { id: deletedId, parentId: planId, deletedAt: 5 })),
    ...askingStatements(userId, { threadId: askingThreadId, answerId: askingId, approvalId }),
    // On hold, so that the server does not send the message.
    insertStatement(content, 'queuedMessage', queuedRow(userId, threadId, { id: queuedId, hold: 'stopped' })),
  ])
  return things
}

const users: readonly (readonly [plan: Plan, code: LimitCode])[] = [
  ...(['guest', 'free', 'pro'] as const).flatMap((plan) =>
    (['content_full', 'fork_limit_reached', 'mutation_limit_reached'] as const).map((code) => [plan, code] as const),
  ),
  ['guest', 'guest_limit_reached'],
]

test.each(users)('%s: %s', async (plan, code) => {
  const user = await givenUser(plan)
  const isRefused = ({ refused }: Row) => refused.includes(code)
  // A turn that is not refused would run.
  const called = Object.entries(rows).filter(([name, row]) => isRefused(row) || !openers.has(name))
  const args = new Map<string, object>()
  for (const [name, row] of called) args.set(name, row.args(await givenThings(user.userId)))
  await limits[code](user.userId, plan)
  const wire = await connected(user, { queries: [me] })
  const answers: { [name: string]: string } = {}
  for (const [name] of called) {
    const id = wire.mutate(name, args.get(name))
    await wire.confirmed(id)
    const result = wire.results.get(`${wire.clientID}/${id}`) as { readonly details: { readonly code: string } } | undefined
    answers[name] = result?.details.code ?? 'applied'
  }
  expect(answers).toEqual(Object.fromEntries(called.map(([name, row]) => [name, isRefused(row) ? code : 'applied'])))
  await wire.close()
})
