// [T8] What the page shows before a turn is what the server reserves for it, over random threads.
import { expect, test } from 'vitest'
import { quoteAllowed, quoteDraft, quotePlan, serverTokens } from '../../../web/features/chat/composer/price/page-quote.ts'
import type { MessageRow, ModelRow, ProjectRow, SummaryRow, ThreadWithMessages } from '../../../web/sync/rows.ts'
import type { ServerSource } from '../../../web/sync/tool-servers.ts'
import type { RefusalCode } from '../../../worker/contract/errors.ts'
import { filePart } from '../../../worker/contract/files/files.ts'
import type { TurnMode } from '../../../worker/contract/models/modes.ts'
import { defaultCreditMicroDollars } from '../../../worker/contract/models/quote.ts'
import { messageTokens } from '../../../worker/contract/models/token-estimates.ts'
import { usesMemory } from '../../../worker/contract/threads/memories.ts'
import type { MessagePart, ToolPart } from '../../../worker/contract/threads/messages.ts'
import type { ServerTool } from '../../../worker/contract/tools/tool-servers.ts'
import type { Json, Row } from '../../../worker/sync/engine/types.ts'
import { createRng, type Rng } from '../../support/rng.ts'
import { effectsIn, type Given, overlayOf, replicaOf, runNamed, userId } from '../sync/replica.ts'
import { model, threadRow } from '../web/build.ts'
import { metadata } from '../web/chat/build.ts'

const nowMs = 1_800_000_000_000

const tokensOnPage = ({ own, ofOrganizations }: ReturnType<typeof randomServers>, switched: readonly string[]): number => {
  const shown = [
    ...own.map((server) => ({ ...server, isOfOrganization: false })),
    ...ofOrganizations.map((server) => ({ ...server, isOfOrganization: true })),
  ]
  return serverTokens(shown as unknown as readonly ServerSource[], switched)
}
const threadId = 'thread-one'
const plan = 'pro'
const effort = ['low', 'high']
const prices = { inputMicroDollarsPerMillionTokens: 400_000, outputMicroDollarsPerMillionTokens: 2_000_000, maxOutputTokens: 4_000 }
const models: readonly ModelRow[] = [
  model({ ...prices, id: 'small', contextTokens: 16_000, effort: [...effort], capabilities: ['tools', 'reasoning'] }),
  model({ ...prices, id: 'large', contextTokens: 200_000, effort: [...effort], credits: 3 }),
  model({ ...prices, id: 'plain', contextTokens: 32_000, capabilities: [], provider: 'openai' }),
]

const words = (rng: Rng, chars: number) => 'x'.repeat(1 + rng.below(chars))
const file = (id: string, sizeBytes: number) => ({ id, name: `${id}.txt`, mediaType: 'text/plain' as const, sizeBytes })

const called = (id: string) => ({
  ...({ type: `tool-${id.split('-')[0]}`, toolCallId: id, state: 'output-available', input: {} } as const),
})

const searched = (id: string, text: string): MessagePart => ({
  ...called(`search-${id}`),
  output: { results: [{ number: 1, title: text, url: 'https://tea.test', site: 'tea.test', snippet: text }] },
})

type Thread = { readonly thread: ThreadWithMessages; readonly summaries: readonly SummaryRow[] }

/** A branched thread with files, results of tools, and summaries at some of its answers. */
function randomThread(rng: Rng, projectId: string | null): Thread {
  const messages: MessageRow[] = []
  const summaries: SummaryRow[] = []
  const pathTo = (id: string | null | undefined): readonly MessageRow[] => {
    const row = messages.find((message) => message.id === id)
    return row ? [...pathTo(row.parentId), row] : []
  }
  const add = (id: string, parentId: string | null, message: MessageRow['message']) =>
    void messages.push({
      id,
      threadId,
      userId,
      parentId,
      message,
      createdAt: messages.length,
      updatedAt: 1,
      deletedAt: null,
      bookmarkedAt: null,
    })
  let head: string | null = null
  const maxChars = rng.pick([60, 900, 6_000])
  for (let turn = 0, count = rng.below(30); turn < count; turn += 1) {
    const parentId: string | null = head !== null && rng.chance(0.05) ? (messages.find(({ id }) => id === head)?.parentId ?? null) : head
    const from = messages.find(({ id }) => id === parentId)?.message.role === 'user' ? null : parentId
    const [asked, answer] = [`question-${turn}`, `answered-${turn}`]
    const files = rng.chance(0.2) ? [filePart(file(`file-of-${turn}`, rng.below(9_000)))] : []
    add(asked, from, { id: asked, role: 'user', parts: [...files, { type: 'text', text: words(rng, maxChars) }] })
    const found = rng.chance(0.3) ? [searched(`call-${turn}`, words(rng, 2_000))] : []
    add(answer, asked, {
      ...{ id: answer, role: 'assistant', metadata: metadata({ modelId: 'small' }) },
      parts: [...found, { type: 'text', text: words(rng, maxChars) }],
    })
    head = answer
    if (!rng.chance(0.2)) continue
    const tokens = pathTo(answer).reduce((sum, { message }) => sum + messageTokens(message), 0)
    summaries.push({ id: answer, userId, threadId, text: words(rng, 3_000), tokens, createdAt: 1 })
  }
  const turnCredits = rng.chance(0.2) ? 1 + rng.below(40) : null
  const row = threadRow({
    id: threadId,
    userId,
    headId: head,
    turnCredits,
    projectId,
    effort: rng.pick([null, ...effort]),
    offTools: rng.chance(0.6) ? randomSwitches(rng) : null,
    expiresAt: projectId === null && rng.chance(0.2) ? nowMs + 1_000_000 : null,
  })
  return { thread: { ...row, messages, queue: [] }, summaries }
}

const texts = (rng: Rng) => ({ nickname: null, biography: null, instructions: rng.chance(0.3) ? words(rng, 3_000) : null })

const given = (table: Given[0], row: object): Given => [table, row as Row]

const ownServers = ['server-1', 'server-2']
const organizationServer = 'server-of-organization'

/** Servers with tools, some of which are switched off. Their definitions can exceed what a request sends. */
function randomServers(rng: Rng) {
  const toolOf = (name: string): ServerTool => ({
    ...{ name, title: name, description: words(rng, 1_000), isReadOnly: true, digest: `digest-of-${name}` },
    inputSchema: { type: 'object', properties: { text: { type: 'string', description: words(rng, rng.pick([50, 4_000])) } } },
  })
  const serverOf = (id: string) => {
    const tools = Array.from({ length: rng.below(8) }, (_, index) => toolOf(`tool-${index}`))
    return {
      ...{ id, name: rng.pick(['Sea', 'Harbour']), login: 'none', state: 'ready', tools, unusable: 0, headerNames: null },
      ...{ off: rng.chance(0.3) ? ['tool-0', 'tool-2'] : null, failure: null, createdAt: rng.below(9), checkedAt: 1 },
    } as const
  }
  const has = rng.chance(0.5)
  const own = has ? ownServers.map((id) => ({ ...serverOf(id), userId, url: 'https://sea.test/mcp' })) : []
  const ofOrganizations = has ? [{ ...serverOf(organizationServer), organizationId: 'harbour', host: 'sea.test' }] : []
  return { own, ofOrganizations }
}

const randomSwitches = (rng: Rng): readonly string[] => [...ownServers, organizationServer].filter(() => rng.chance(0.4))

/** The rows of both sides. */
function randomRows(rng: Rng) {
  const project = rng.chance(0.3)
    ? ({
        ...{ id: 'project-1', userId, name: 'P', createdAt: 1, updatedAt: 1, deletedAt: null },
        ...{ instructions: words(rng, 2_000), files: [file('of-project', rng.below(60_000))] },
        offTools: rng.chance(0.5) ? randomSwitches(rng) : null,
        isMemoryOff: rng.chance(0.3),
      } as unknown as ProjectRow)
    : undefined
  const { thread, summaries } = randomThread(rng, project?.id ?? null)
  const servers = randomServers(rng)
  const setting = { id: userId, userId, mode: 'dark', isMemoryOn: rng.chance(0.5), ...texts(rng) }
  const subscription = { id: 's', status: 'active', currentPeriodEndMs: nowMs + 1_000_000, cancelAtPeriodEnd: false }
  const rowsWith = ({ messages, queue: _queue, model: _model, ...threadOnly }: ThreadWithMessages, ...others: readonly Given[]) =>
    replicaOf(
      given('user', { isAnonymous: false }),
      given('setting', setting),
      given('usage', {}),
      given('userCustomer', { id: 'c', userId, subscription }),
      ...models.map((row) => given('model', row)),
      ...(threadOnly.headId === null ? [] : [given('thread', threadOnly)]),
      ...messages.map((row) => given('message', row)),
      ...summaries.map((row) => given('summary', row)),
      ...(project ? [given('project', project)] : []),
      ...servers.own.map((row) => given('toolServer', row)),
      ...servers.ofOrganizations.map((row) => given('organizationToolServer', row)),
      ...others,
    )
  const shown = thread.headId === null ? undefined : thread
  return { rowsWith, replica: rowsWith(thread), project, thread: shown, summaries, setting, servers }
}

type Opened = { readonly minimum: number; readonly expected: number } | RefusalCode

/** The sums of what the server stores with the turns, or its refusal. */
async function opened(replica: ReturnType<typeof replicaOf>, name: string, args: object): Promise<Opened> {
  const outcome = await runNamed(overlayOf(replica), name, args as Json, nowMs)
  if (outcome.type === 'refused') return outcome.error.message as RefusalCode
  const reservations = effectsIn(outcome)?.opened.map(({ reservation }) => reservation) ?? []
  const sum = (of: 'minimum' | 'expected') => reservations.reduce((total, reservation) => total + reservation[of], 0)
  return { minimum: sum('minimum'), expected: sum('expected') }
}

const runs = process.env.PARLEY_LONG ? 2_000 : 150

test('a message costs what the composer showed, for every kind of thread', async () => {
  const seen = new Set<string>()
  let withSummary = 0
  let withTools = 0
  let withMemory = 0
  for (let seed = 0; seed < runs; seed += 1) {
    const rng = createRng(seed)
    const { replica, project, thread, summaries, setting, servers } = randomRows(rng)
    const mode: TurnMode = rng.pick(['chat', 'search', 'research'])
    const [small, large, plain] = models as [ModelRow, ModelRow, ModelRow]
    const first = mode === 'chat' ? rng.pick(models) : small
    const others = mode === 'chat' && rng.chance(0.3) ? [large, plain].filter(({ id }) => id !== first.id) : []
    const draft = {
      text: words(rng, 4_000),
      files: rng.chance(0.2) ? [file('file-new', rng.below(9_000))] : [],
      choices: { effort: rng.pick(effort), offTools: rng.chance(0.5) ? randomSwitches(rng) : null },
    }
    const switched = (thread ? thread.offTools : draft.choices.offTools) ?? project?.offTools ?? []
    const parentId = thread?.headId ?? null
    const isTemporary = thread ? thread.expiresAt !== null : !project && rng.chance(0.3)
    const quoteWith = (stored: readonly SummaryRow[]) =>
      quoteDraft(
        {
          ...{ me: { plan, setting: setting as never, model: first }, others, mode, parentId, isTemporary, draft, project, thread },
          ...{ summaries: stored, definitionTokens: tokensOnPage(servers, switched) },
        },
        defaultCreditMicroDollars,
      )
    const quote = quoteWith(summaries)
    if (quote?.toolTokens) withTools += 1
    if (quoteWith([])?.inputTokens !== quote?.inputTokens) withSummary += 1
    const compareWith = others.map(({ id }) => ({ answerId: `answer-of-${id}`, modelId: id }))
    const message = {
      ...{ threadId, messageId: 'question-n', answerId: 'answer-n', parentId, text: draft.text, modelId: first.id, mode, at: 1 },
      ...(compareWith.length > 0 && { compareWith }),
      ...(draft.files.length > 0 && { files: draft.files }),
      ...(!thread && {
        effort: draft.choices.effort,
        ...(draft.choices.offTools && { offTools: draft.choices.offTools }),
        ...(project && { projectId: project.id }),
        ...(isTemporary && { isTemporary }),
      }),
    }
    const server = await opened(replica, 'threads.send', message)
    if (server === 'credits_above_day') expect(quote?.expected, `seed ${seed}`).toBeGreaterThan(200)
    else if (server === 'turn_credits_short') expect(quote?.exceedsLimit, `seed ${seed}`).toBe(true)
    else expect(server, `seed ${seed}`).toEqual({ minimum: quote?.minimum, expected: quote?.expected })
    expect(server === 'turn_credits_short' || quote?.exceedsLimit === false, `seed ${seed}`).toBe(true)
    if (usesMemory(setting, project, isTemporary)) withMemory += 1
    seen.add(`${mode} ${summaries.length > 0 ? 'with' : 'without'} ${typeof server === 'string' ? server : 'opened'}`)
  }
  for (const kind of ['chat with opened', 'chat without opened', 'search with opened', 'research with opened']) expect(seen).toContain(kind)
  expect([...seen].some((kind) => kind.endsWith('turn_credits_short'))).toBe(true)
  expect(withSummary).toBeGreaterThan(runs / 20)
  expect(withTools).toBeGreaterThan(runs / 20)
  expect(withMemory).toBeGreaterThan(runs / 20)
})

test('a research costs what its plan showed, new or continued', async () => {
  const steps = ['s1', 's2', 's3'].map((id) => ({ id, text: 'Tea', queries: ['tea'] }))
  const seen = new Set<string>()
  for (let seed = 0; seed < runs / 3; seed += 1) {
    const rng = createRng(seed)
    const { rowsWith, project, thread, summaries, setting } = randomRows(rng)
    const asked = thread?.messages.at(-2)
    if (!thread || asked?.message.role !== 'user') continue
    const use = { requests: 1, unpriced: 0, inputTokens: 1, cachedInputTokens: 0, outputTokens: 1, reasoningTokens: 0 }
    const isContinued = rng.chance(0.4)
    const paid = { by: 'plan-one', credits: rng.below(9) }
    const findings: MessagePart = { ...called('findings-s1'), output: { text: words(rng, 900) } }
    const answer: MessageRow = {
      ...{ id: 'plan-one', threadId, userId, parentId: asked.id, createdAt: 99, updatedAt: 99, deletedAt: null, bookmarkedAt: null },
      message: {
        ...{ id: 'plan-one', role: 'assistant' },
        parts: [{ ...called('plan'), output: { steps: steps.slice(rng.below(3)) } }, ...(isContinued ? [findings] : [])],
        metadata: metadata({
          ...{ mode: 'research', credits: 0, use: { ...use, microDollars: rng.below(40_000) } },
          ...(isContinued && { ending: 'interrupted', paid }),
        }),
      },
    }
    const [model] = models as [ModelRow]
    const planned: ThreadWithMessages = { ...thread, headId: answer.id, messages: [...thread.messages, answer] }
    const me = { plan, setting: setting as never, model } as const
    const expected = quotePlan({ me, thread: planned, project, summaries }, answer.id, defaultCreditMicroDollars)
    const start = { threadId, messageId: answer.id, answerId: 'answer-n', modelId: model.id, at: 1 }
    const more = { threadId, parentId: asked.id, answerId: 'answer-n', continueId: answer.id, modelId: model.id, mode: 'research', at: 1 }
    const server = await opened(rowsWith(planned), isContinued ? 'threads.answer' : 'research.start', isContinued ? more : start)
    expect(server, `seed ${seed}`).toMatchObject({ expected })
    seen.add(`${isContinued} ${summaries.length > 0}`)
  }
  expect(seen.size).toBe(4)
})

test('going on with an answer costs what the card of its last waiting call showed', async () => {
  let aboveMinimum = 0
  for (let seed = 0; seed < runs / 3; seed += 1) {
    const rng = createRng(seed)
    const { rowsWith, project, thread, summaries, setting, servers } = randomRows(rng)
    const asked = thread?.messages.at(-2)
    if (!thread || asked?.message.role !== 'user') continue
    const callOf = (index: number): ToolPart => {
      const isLast = index === 0
      const state = isLast ? 'approval-requested' : 'approval-responded'
      const isInput = rng.chance(0.4)
      const approval = { id: `approval-${index}`, ...(isInput && { isInput }), ...(!isLast && { approved: rng.chance(0.5) }) }
      const input = { text: words(rng, 3_000) }
      return { ...{ type: `tool-${rng.pick(['search', 'sea_send'])}`, toolCallId: `call-${index}` }, state, approval, input }
    }
    const calls = Array.from({ length: 1 + rng.below(3) }, (_, index) => callOf(index))
    const { id: modelId } = rng.pick(models.slice(0, 2))
    const answer: MessageRow = {
      ...{ id: 'waiting', threadId, userId, parentId: asked.id, createdAt: 99, updatedAt: 99, deletedAt: null, bookmarkedAt: null },
      message: { id: 'waiting', role: 'assistant', parts: calls, metadata: metadata({ modelId, mode: rng.pick(['chat', 'search']) }) },
    }
    const isInput = calls[0]?.approval?.isInput === true
    const form = [{ message: 'Sure?', schema: { type: 'object', properties: {}, required: [], additionalProperties: false } }]
    const row = {
      ...{ userId, threadId, messageId: 'waiting', tool: 'send', title: 'Send', description: '', digest: '1', cause: 'changes' },
      ...(isInput && { cause: 'input', form }),
      ...{ id: 'approval-0', toolCallId: 'call-0', source: { id: ownServers[0], name: 'Sea' }, input: calls[0]?.input, state: 'pending' },
      ...{ createdAt: 1, expiresAt: nowMs + 1 },
    }
    const waiting: ThreadWithMessages = { ...thread, headId: 'waiting', messages: [...thread.messages, answer] }
    const switched = thread.offTools ?? project?.offTools ?? []
    const me = { plan, setting: setting as never, model: undefined } as const
    const shown = { me, thread: waiting, project, summaries, definitionTokens: tokensOnPage(servers, switched), models }
    const quote = quoteAllowed(shown, 'waiting', defaultCreditMicroDollars)
    // Declining what a server asked makes a call too.
    const isDeclined = isInput && rng.chance(0.5)
    const answers = isInput && !isDeclined ? { answers: [{}] } : {}
    const decision = { id: 'approval-0', answerId: 'answer-n', decision: isDeclined ? 'deny' : 'once', ...answers }
    const server = await opened(rowsWith(waiting, given('approval', row)), 'approvals.decide', decision)
    if (server === 'credits_above_day') expect(quote?.expected, `seed ${seed}`).toBeGreaterThan(200)
    else if (server === 'turn_credits_short') expect(quote?.exceedsLimit, `seed ${seed}`).toBe(true)
    else expect(server, `seed ${seed}`).toEqual({ minimum: quote?.minimum, expected: quote?.expected })
    if (typeof server !== 'string' && server.expected > server.minimum) aboveMinimum += 1
  }
  expect(aboveMinimum).toBeGreaterThan(runs / 20)
})

test('a page that has the end of a thread shows the price with its stored summary', () => {
  const [model] = models as [ModelRow]
  const text = (id: string, parentId: string | null, role: 'user' | 'assistant'): MessageRow => ({
    ...{ id, threadId, userId, parentId, createdAt: 1, updatedAt: 1, deletedAt: null, bookmarkedAt: null },
    message: {
      ...{ id, parts: [{ type: 'text', text: 'x'.repeat(900) }] },
      ...(role === 'user' ? { role } : { role, metadata: metadata() }),
    },
  })
  const messages = Array.from({ length: 80 }, (_, index) =>
    text(`m-${index}`, index === 0 ? null : `m-${index - 1}`, index % 2 === 0 ? 'user' : 'assistant'),
  )
  const tokens = messages.slice(0, 60).reduce((sum, { message }) => sum + messageTokens(message), 0)
  const summaries = [{ id: 'm-59', userId, threadId, text: 'Tea.', tokens, createdAt: 1 }]
  const quote = (loaded: readonly MessageRow[], contextTokens: number) =>
    quoteDraft(
      {
        ...{ me: { plan, setting: undefined, model: { ...model, contextTokens } }, others: [], mode: 'chat', parentId: 'm-79' },
        ...{ draft: { text: 'Hi', files: [], choices: { effort: null } }, project: undefined, summaries },
        ...{ definitionTokens: 0, isTemporary: false },
        thread: { ...threadRow({ id: threadId, headId: 'm-79' }), messages: loaded, queue: [] },
      },
      defaultCreditMicroDollars,
    )
  const end = [...messages.slice(0, 1), ...messages.slice(30)]
  // The thread fits into the larger window, so its summary is not used.
  for (const contextTokens of [16_000, 200_000]) expect(quote(end, contextTokens)).toEqual(quote(messages, contextTokens))
  expect(quote(end, 16_000)?.inputTokens).toBeLessThan(10_000)
  expect(quote(end, 200_000)?.inputTokens).toBeGreaterThan(24_000)
})
