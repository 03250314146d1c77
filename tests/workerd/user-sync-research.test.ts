// Research on the server: permissions, changes of a plan, and the daily limit.

import { expect, test } from 'vitest'
import { creditsPerDay, maxPlanSteps, researchesPerDay } from '../../worker/contract/limits.ts'
import { researchPlanOf } from '../../worker/contract/research/research.ts'
import type { AnswerMessage } from '../../worker/contract/threads/messages.ts'
import { generationRow, insert, insertStatement, ledgerRow, messageRow } from '../support/rows.ts'
import { content } from './bindings.ts'
import { appError, connected, env, freshId, me, newUser, recentThreads, type SyncUser, turnArgs, type Wire } from './sync-wire.ts'

const usageOf = ({ userId }: SyncUser) => content.prepare('select research, credits from usage where userId = ?').bind(userId).first()
const ledgerOf = ({ userId }: SyncUser) =>
  content.prepare('select sum(research) research, sum(credits) credits from creditLedger where userId = ?').bind(userId).first()

async function newPro(): Promise<SyncUser> {
  const user = await newUser()
  const subscription = { id: 's', status: 'active', currentPeriodEndMs: Date.now() + 60_000_000, cancelAtPeriodEnd: false }
  await env.DB.prepare('insert into userCustomer (id, userId, subscription) values (?1, ?1, ?2)')
    .bind(user.userId, JSON.stringify(subscription))
    .run()
  return user
}

/** Null when it succeeded. */
async function asked(wire: Wire, name: string, args: object): Promise<unknown> {
  const id = wire.mutate(name, { at: 1, ...args })
  await wire.confirmed(id)
  return wire.results.get(`${wire.clientID}/${id}`) ?? null
}

const messageIn = (wire: Wire, id: string) => wire.row('message', id)?.message as AnswerMessage | undefined
const stepsIn = (wire: Wire, id: string) => researchPlanOf(messageIn(wire, id)?.parts ?? [])?.steps.map(({ text }) => text)

async function planned(wire: Wire) {
  const args = { ...turnArgs('/demo delay=0 search=tea'), mode: 'research' }
  expect(await asked(wire, 'threads.send', args)).toBeNull()
  await wire.until(() => messageIn(wire, args.answerId) !== undefined, 'the plan')
  return { ...args, ref: { threadId: args.threadId, messageId: args.answerId } }
}

test('users without PRO are refused before anything is written', async () => {
  const user = await newUser()
  const wire = await connected(user, { queries: [me, recentThreads] })
  const args = { ...turnArgs('Hello'), mode: 'research' }
  expect(await asked(wire, 'threads.send', args)).toEqual(appError('research_account_required'))
  await env.DB.prepare('update user set isAnonymous = 0 where id = ?').bind(user.userId).run()
  expect(await asked(wire, 'threads.send', args)).toEqual(appError('research_premium_required'))
  expect(wire.rowsOf('thread')).toEqual([])
  await wire.close()
})

test('a plan is changed, dismissed and restored within its rules, by its user only', async () => {
  const user = await newPro()
  const wire = await connected(user, { queries: [me, recentThreads] })
  const { ref } = await planned(wire)
  expect(stepsIn(wire, ref.messageId)).toHaveLength(3)
  expect(await asked(wire, 'research.putStep', { ...ref, stepId: 'step-2', text: '  Green \n tea ' })).toBeNull()
  expect(stepsIn(wire, ref.messageId)?.[1]).toBe('Green tea')
  expect(researchPlanOf(messageIn(wire, ref.messageId)?.parts ?? [])?.steps[1]?.queries).toEqual([])
  expect(await asked(wire, 'research.removeStep', { ...ref, stepId: 'step-1' })).toBeNull()
  expect(await asked(wire, 'research.removeStep', { ...ref, stepId: 'step-3' })).toBeNull()
  expect(await asked(wire, 'research.removeStep', { ...ref, stepId: 'step-2' })).toEqual(appError('plan_empty'))
  expect(await asked(wire, 'research.putStep', { ...ref, stepId: 'x', text: ' ' })).toEqual(appError('message_empty'))
  expect(await asked(wire, 'research.putStep', { ...ref, stepId: 'x', text: 'x'.repeat(301) })).toEqual(appError('invalid_request'))
  for (let step = 2; step <= maxPlanSteps; step++)
    expect(await asked(wire, 'research.putStep', { ...ref, stepId: `own-${step}`, text: `Step ${step}` })).toBeNull()
  expect(await asked(wire, 'research.putStep', { ...ref, stepId: 'one-more', text: 'One more' })).toEqual(appError('plan_full'))
  expect(await asked(wire, 'research.dismiss', { ...ref, isDismissed: true })).toBeNull()
  expect(researchPlanOf(messageIn(wire, ref.messageId)?.parts ?? [])?.isDismissed).toBe(true)
  expect(await asked(wire, 'research.dismiss', { ...ref, isDismissed: false })).toBeNull()
  expect(await usageOf(user)).toEqual({ research: 0, credits: 0 })

  const otherUser = await connected(await newPro(), { queries: [me] })
  const attempts = [
    ['research.putStep', { stepId: 'step-2', text: 'Mine' }],
    ['research.removeStep', { stepId: 'step-2' }],
    ['research.dismiss', { isDismissed: true }],
    ['research.start', { answerId: freshId('answer'), modelId: 'kimi-k2' }],
  ] as const
  for (const [name, args] of attempts) expect(await asked(otherUser, name, { ...ref, ...args })).toEqual(appError('not_found'))
  // The question is not a plan and has none.
  const question = messageIn(wire, ref.messageId) && wire.row('message', ref.messageId)?.parentId
  expect(await asked(wire, 'research.removeStep', { ...ref, messageId: question, stepId: 'step-2' })).toEqual(appError('invalid_request'))
  await Promise.all([wire.close(), otherUser.close()])
})

test('approving it twice carries it out once; then it is read-only, and the plan’s answer remains', async () => {
  const user = await newPro()
  const [wire, other] = await Promise.all([1, 2].map(() => connected(user, { queries: [me, recentThreads] })))
  if (!wire || !other) throw new Error('two tabs')
  const { ref } = await planned(wire)
  for (const stepId of ['step-2', 'step-3']) await asked(wire, 'research.removeStep', { ...ref, stepId })
  const arrived = { ...ref, stepId: 'step-1', text: 'In other words' }
  expect(await asked(wire, 'research.putStep', arrived)).toBeNull()
  const start = () => ({ ...ref, answerId: freshId('answer'), modelId: 'kimi-k2' })
  const [first, second] = [start(), start()]
  const results = await Promise.all([asked(wire, 'research.start', first), asked(other, 'research.start', second)])
  expect(results.filter((result) => result === null)).toHaveLength(1)
  expect(results.filter((result) => result !== null)).toEqual([appError('plan_started')])
  expect(await asked(wire, 'research.putStep', { ...ref, stepId: 'step-1', text: 'Too late' })).toEqual(appError('thread_busy'))
  const started = results[0] === null ? first : second
  const { answerId } = started
  // A reloaded page repeats a mutation whose result it missed.
  const askAgain = async () => {
    expect(await asked(wire, 'research.putStep', arrived)).toBeNull()
    expect(await asked(wire, 'research.removeStep', { ...ref, stepId: 'step-2' })).toBeNull()
    expect(await asked(wire, 'research.dismiss', { ...ref, isDismissed: false })).toBeNull()
    expect(await asked(wire, 'research.start', started)).toBeNull()
  }
  await askAgain()
  await wire.until(() => messageIn(wire, answerId) !== undefined, 'the report')
  await askAgain()
  expect(wire.row('thread', ref.threadId)).toMatchObject({ status: 'ready', headId: answerId })
  expect(messageIn(wire, answerId)?.metadata).toMatchObject({ mode: 'research', ending: 'completed', credits: 1 })
  expect(await asked(wire, 'research.removeStep', { threadId: ref.threadId, messageId: answerId, stepId: 'step-1' })).toEqual(
    appError('invalid_request'),
  )
  expect(stepsIn(wire, ref.messageId)).toHaveLength(1)
  expect(await usageOf(user)).toEqual({ research: 1, credits: 1 })
  expect(await usageOf(user)).toEqual(await ledgerOf(user))
  await Promise.all([wire.close(), other.close()])
})

test('continuing one that failed during its report costs nothing more, also above the daily limit', async () => {
  const user = await newPro()
  const wire = await connected(user, { queries: [me, recentThreads] })
  const { ref, messageId: parentId } = await planned(wire)
  for (const stepId of ['step-2', 'step-3']) await asked(wire, 'research.removeStep', { ...ref, stepId })
  const [{ userId }, { threadId }] = [user, ref]
  const id = freshId('answer')
  const parts = [...(messageIn(wire, ref.messageId)?.parts ?? []), { type: 'text', text: 'Tea is', state: 'done' }]
  const metadata = { ...messageIn(wire, ref.messageId)?.metadata, ending: 'failed', credits: 10, paid: { by: id, credits: 10 } }
  const turn = { credits: 10, day: Math.floor(Date.now() / 86_400_000) }
  const limits = { dailyLimit: 200, searchLimit: 50, researchLimit: researchesPerDay.pro }
  const rest = { credits: creditsPerDay.pro - 10, research: researchesPerDay.pro - 1 }
  const broken = { id, parentId, mode: 'research', continueId: ref.messageId, status: 'failed', ...turn }
  await content.batch([
    // The user was created as a guest, and the plan counts towards the limit of the network.
    content.prepare('delete from guestNetwork where userId = ?').bind(userId),
    insertStatement(content, 'generation', generationRow(userId, threadId, broken)),
    insertStatement(content, 'creditLedger', ledgerRow(userId, id, 'reserve', { ...turn, research: 1, ...limits })),
    insertStatement(content, 'creditLedger', ledgerRow(userId, id, 'settle', { day: turn.day })),
    insertStatement(content, 'creditLedger', ledgerRow(userId, freshId('other'), 'reserve', { ...turn, ...rest, ...limits })),
    insertStatement(
      content,
      'message',
      messageRow(userId, threadId, { id, parentId, message: JSON.stringify({ id, role: 'assistant', parts, metadata }) }),
    ),
  ])
  const answerId = freshId('answer')
  const again = { threadId, parentId, modelId: 'kimi-k2', mode: 'research', continueId: id, answerId }
  const used = await usageOf(user)
  expect(used).toEqual({ research: researchesPerDay.pro, credits: creditsPerDay.pro })
  expect(await asked(wire, 'threads.answer', { ...again, modelId: 'gpt-5', answerId: freshId('answer') })).toEqual(
    appError('credits_exhausted'),
  )
  expect(await asked(wire, 'threads.answer', { ...again, mode: undefined, answerId: freshId('answer') })).toEqual(
    appError('credits_exhausted'),
  )
  expect(await asked(wire, 'threads.answer', again)).toBeNull()
  await wire.until(() => messageIn(wire, answerId) !== undefined, 'the report')
  expect(messageIn(wire, answerId)?.metadata).toMatchObject({ ending: 'completed', credits: 0 })
  expect(await usageOf(user)).toEqual(used)
  // Its report exists: another report from the same notes would be another research.
  await wire.until(() => messageIn(wire, id)?.metadata.paid === undefined, 'the payment is used')
  expect(await asked(wire, 'threads.answer', { ...again, answerId: freshId('answer') })).toEqual(appError('credits_exhausted'))
  await wire.close()
})

test('a start in flight while another device starts the plan has no effect, also when its user shows the plan again', async () => {
  const user = await newPro()
  const wire = await connected(user, { queries: [me, recentThreads] })
  const { ref } = await planned(wire)
  for (const stepId of ['step-2', 'step-3']) await asked(wire, 'research.removeStep', { ...ref, stepId })
  const start = (after?: string) => ({ ...ref, answerId: freshId('answer'), modelId: 'kimi-k2', ...(after ? { after } : {}) })
  const report = async (args: ReturnType<typeof start>) => {
    expect(await asked(wire, 'research.start', args)).toBeNull()
    await wire.until(() => messageIn(wire, args.answerId) !== undefined, 'a report')
    return args.answerId
  }
  const reportId = await report(start())
  expect(await asked(wire, 'research.start', start())).toEqual(appError('plan_started'))
  const change = { ...ref, stepId: 'step-1', text: 'Written offline' }
  expect(await asked(wire, 'research.putStep', change)).toEqual(appError('plan_passed'))
  expect(await asked(wire, 'research.start', start(reportId))).toEqual(appError('plan_passed'))
  expect(await asked(wire, 'threads.show', ref)).toBeNull()
  expect(await asked(wire, 'research.start', start())).toEqual(appError('plan_started'))
  expect(await usageOf(user)).toEqual({ research: 1, credits: 1 })

  // Another report can be requested after the first; rows made from the first are not part of it.
  expect(researchPlanOf(messageIn(wire, ref.messageId)?.parts ?? [])?.startedAs).toBe(reportId)
  expect(await asked(wire, 'research.putStep', { ...change, text: 'Green tea' })).toBeNull()
  const secondId = await report(start(reportId))
  expect(await asked(wire, 'threads.show', ref)).toBeNull()
  expect(await asked(wire, 'research.start', start(reportId))).toEqual(appError('plan_started'))
  expect(researchPlanOf(messageIn(wire, ref.messageId)?.parts ?? [])?.startedAs).toBe(secondId)
  expect(await usageOf(user)).toEqual({ research: 2, credits: 2 })
  expect(await usageOf(user)).toEqual(await ledgerOf(user))
  await wire.close()
})

test('a dismissed or skipped plan cannot be started, and reserves nothing', async () => {
  const user = await newPro()
  const wire = await connected(user, { queries: [me, recentThreads] })
  const [aside, past] = [await planned(wire), await planned(wire)]
  const start = ({ ref }: typeof aside) => asked(wire, 'research.start', { ...ref, answerId: freshId('answer'), modelId: 'kimi-k2' })
  expect(await asked(wire, 'research.dismiss', { ...aside.ref, isDismissed: true })).toBeNull()
  expect(await start(aside)).toEqual(appError('plan_set_aside'))
  const behind = { ...turnArgs('/demo delay=0 say=ok'), threadId: past.threadId, parentId: past.ref.messageId }
  expect(await asked(wire, 'threads.send', behind)).toBeNull()
  await wire.until(() => messageIn(wire, behind.answerId) !== undefined, 'an answer behind the plan')
  expect(await start(past)).toEqual(appError('plan_passed'))
  for (const [name, args] of [
    ['putStep', { stepId: 'step-1', text: 'Changed' }],
    ['removeStep', { stepId: 'step-1' }],
    ['dismiss', { isDismissed: true }],
  ] as const)
    expect(await asked(wire, `research.${name}`, { ...past.ref, ...args })).toEqual(appError('plan_passed'))
  expect(await usageOf(user)).toEqual({ research: 0, credits: 1 })
  await wire.close()
})

test('plans are free, so they are limited to sixty per day', async () => {
  const user = await newPro()
  const wire = await connected(user, { queries: [me, recentThreads] })
  const day = Math.floor(Date.now() / 86_400_000)
  const insert = content.prepare(
    `insert into generation (id, userId, threadId, parentId, modelId, mode, status, credits, day, createdAt, objectId)
     values (?1, ?2, 'gone', 'gone', 'kimi-k2', 'research', 'completed', 0, ?3, 1, ?2)`,
  )
  await content.batch(Array.from({ length: 60 }, (_, index) => insert.bind(`${user.userId}-plan-${index}`, user.userId, day)))
  expect(await asked(wire, 'threads.send', { ...turnArgs('Again'), mode: 'research' })).toEqual(appError('plan_limit_reached'))
  await wire.close()
})

test('a stopped plan is planned again: it cannot be continued, which would be free', async () => {
  const user = await newPro()
  const wire = await connected(user, { queries: [me, recentThreads] })
  const args = { ...turnArgs('/demo silent=start'), mode: 'research' }
  expect(await asked(wire, 'threads.send', args)).toBeNull()
  await asked(wire, 'threads.stop', { threadId: args.threadId })
  await wire.until(() => wire.row('thread', args.threadId)?.status === 'ready', 'the plan was stopped')
  expect(messageIn(wire, args.answerId)?.metadata.ending).toBe('stopped')
  const again = { threadId: args.threadId, parentId: args.messageId, modelId: 'kimi-k2', mode: 'research' }
  expect(await asked(wire, 'threads.answer', { ...again, answerId: freshId('answer'), continueId: args.answerId })).toEqual(
    appError('invalid_request'),
  )
  expect(await asked(wire, 'threads.answer', { ...again, answerId: freshId('answer') })).toBeNull()
  await asked(wire, 'threads.stop', { threadId: args.threadId })
  await wire.until(() => wire.row('thread', args.threadId)?.status === 'ready', 'the second was stopped')
  await wire.close()
})

test('a research does not start with a model that cannot read the files of its question', async () => {
  const user = await newPro()
  const wire = await connected(user, { queries: [me, recentThreads] })
  const file = { id: freshId('file'), name: 'a.png', mediaType: 'image/png', sizeBytes: 7 } as const
  await insert(content, 'attachment', { ...file, userId: user.userId, uploadId: file.id, etag: 'e', storedAt: 1, createdAt: 1 })
  const args = { ...turnArgs('/demo delay=0 search=tea'), mode: 'research', modelId: 'gpt-4o-mini', files: [file] }
  expect(await asked(wire, 'threads.send', args)).toBeNull()
  await wire.until(() => messageIn(wire, args.answerId) !== undefined, 'the plan')
  const ref = { threadId: args.threadId, messageId: args.answerId }
  const start = (modelId: string) => asked(wire, 'research.start', { ...ref, answerId: freshId('answer'), modelId })
  expect(await start('kimi-k2')).toEqual(appError('images_unsupported'))
  expect(await start('gpt-4o-mini')).toBeNull()
  await wire.close()
})
