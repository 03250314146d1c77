// Threads that are longer than a request: a small model summarises their beginning before the answer, once. Rules:
// worker/turns/SPEC.md, S1 to S5.
import { afterEach, describe, expect, test, vi } from 'vitest'
import { type AnswerMessage, textOf } from '../../worker/contract/threads/messages.ts'
import { type InputTokens, PromptCache } from '../support/peers/prompt-cache.ts'
import type { Asked as GatewayRequest } from '../support/peers/provider-rules.ts'
import { insert } from '../support/rows.ts'
import { memoryRow } from '../support/rows-of-writing.ts'
import { content } from './bindings.ts'
import type { BatchFault } from './faulty-generation.ts'
import { calling, saying } from './provider.ts'
import { inside as insideSync } from './sync-object.ts'
import { connected, me, newUser, recentThreads, type SyncUser, subscribe, turnArgs, type Wire } from './sync-wire.ts'
import { generationOf, inside, kill, objectIdOf, untilEnded } from './turns.ts'
import { until } from './until.ts'

const small = 'mistral/ministral-8b'
const claude = 'claude-4.5-haiku'

type Prompt = NonNullable<GatewayRequest['prompt']>
/** `inputTokens`: with those that the prompt cache of Anthropic has. */
type Asked = { readonly model: string; readonly prompt: Prompt; readonly text: string; readonly inputTokens: InputTokens }

let wire: Wire | undefined
afterEach(async () => {
  vi.unstubAllGlobals()
  await wire?.close()
  wire = undefined
})

/** The gateway: its requests, answered by `answer`. A request for a title is never answered. */
function reachedGateway(answer: (asked: Asked) => Response | Promise<Response>): Asked[] {
  const requests: Asked[] = []
  const cache = new PromptCache()
  vi.stubGlobal('fetch', (_input: unknown, init?: RequestInit) => {
    const headers = new Headers(init?.headers)
    if (headers.get('ai-language-model-streaming') !== 'true') return new Promise(() => undefined)
    const body = JSON.parse(String(init?.body)) as GatewayRequest & Pick<Asked, 'prompt'>
    const model = headers.get('ai-language-model-id') ?? ''
    const asked = { model, prompt: body.prompt, text: JSON.stringify(body.prompt), inputTokens: cache.request(model, body) }
    requests.push(asked)
    return Promise.resolve(answer(asked))
  })
  return requests
}

const isSummary = ({ model }: Asked): boolean => model === small

/** A small model that keeps the code words of what it reads, and a model that repeats those that it was sent. */
const codeWordsIn = (text: string): string => [...new Set(text.match(/code-[a-z]+/g))].join(' ')
const byCodeWords = (asked: Asked): Response =>
  saying(`${isSummary(asked) ? 'Said before' : 'I know'}: ${codeWordsIn(asked.text)}.`, undefined, asked.inputTokens)

const tokensOf = (text: string): number => Math.ceil(new TextEncoder().encode(text).length / 3)

type Thread = { readonly user: SyncUser; readonly threadId: string; readonly headId: string }

let threads = 0

/** A thread of so many messages of 1,000 tokens. The third one has a code word. */
async function longThread(user: SyncUser, count: number): Promise<Thread> {
  const number = ++threads
  const threadId = `long-thread-${number}`
  const idAt = (index: number) => `long-message-${number}-${index}`
  const messages = Array.from({ length: count }, (_, index) => {
    const text = `${index === 2 ? 'The word is code-heron. ' : ''}Message ${index}. `.padEnd(2_970, `${index} `)
    const metadata = { modelId: 'kimi-k2', modelName: 'Kimi K2', modelIcon: 'moonshot', ending: 'completed', credits: 0 }
    const parts = [{ type: 'text', text }]
    return { id: idAt(index), role: index % 2 === 0 ? 'user' : 'assistant', parts, ...(index % 2 === 1 && { metadata }) }
  })
  await content.batch([
    content
      .prepare("insert into thread (id, userId, title, status, headId, createdAt, updatedAt) values (?, ?, 'Long', 'ready', ?, 1, 1)")
      .bind(threadId, user.userId, idAt(count - 1)),
    ...messages.map((message, index) =>
      content
        .prepare('insert into message (id, threadId, userId, parentId, message, createdAt, updatedAt) values (?, ?, ?, ?, ?, ?, 1)')
        .bind(message.id, threadId, user.userId, index === 0 ? null : idAt(index - 1), JSON.stringify(message), index + 1),
    ),
  ])
  return { user, threadId, headId: idAt(count - 1) }
}

type Turn = Parameters<typeof inside>[0]

/** Sends a question whose answer is written through the gateway. */
async function ask(
  { user, threadId }: Thread,
  parentId: string,
  text: string,
  { faults = [], modelId = 'kimi-k2' }: { readonly faults?: readonly BatchFault[]; readonly modelId?: string } = {},
): Promise<Turn> {
  wire ??= await connected(user, { queries: [me, recentThreads] })
  const args = { ...turnArgs(text, threadId), parentId, modelId }
  const turn = { generationId: args.answerId, threadId, userId: user.userId } as Turn
  await insideSync(user, ({ nextObjectIds }) => void nextObjectIds.push(objectIdOf(turn)))
  await inside(turn, (generation) => {
    generation.reachGateway()
    generation.faults.push(...faults)
  })
  await wire.confirmed(wire.mutate('threads.send', args))
  return turn
}

async function answerTo(thread: Thread, parentId: string, text: string, modelId?: string): Promise<AnswerMessage> {
  const turn = await ask(thread, parentId, text, modelId === undefined ? {} : { modelId })
  await untilEnded(turn)
  return storedAnswer(turn)
}

async function storedAnswer({ generationId }: Pick<Turn, 'generationId'>): Promise<AnswerMessage> {
  const stored = await content.prepare('select message from message where id = ?').bind(generationId).first<string>('message')
  return JSON.parse(stored ?? 'null')
}

type Stored = { readonly id: string; readonly text: string; readonly tokens: number }

const summariesOf = async ({ threadId }: Thread): Promise<readonly Stored[]> =>
  (await content.prepare('select id, text, tokens from summary where threadId = ? order by id').bind(threadId).all<Stored>()).results

const requestsOf = async ({ threadId }: Thread) =>
  (
    await content
      .prepare(
        'select model, count(*) count from modelRequest where generationId in (select id from generation where threadId = ?) group by 1',
      )
      .bind(threadId)
      .all()
  ).results

test.each([
  // A request of a guest has 20,000 tokens and one of PRO 128,000. The window takes at most half of them. ADR 0148 names these figures.
  { plan: 'guest', parts: 3, maxTokens: 7_800 },
  { plan: 'pro', parts: 7, maxTokens: 56_200 },
] as const)(
  '[S5] a thread of 300,000 tokens answers about its third message, and the next request begins with the same bytes ($plan)',
  async ({ plan, parts, maxTokens }) => {
    const user = await newUser()
    if (plan === 'pro') await subscribe(user)
    const thread = await longThread(user, 300)
    const requests = reachedGateway(byCodeWords)
    const first = await answerTo(thread, thread.headId, 'Which word did I name?')
    expect(textOf(first)).toBe('I know: code-heron.')
    expect(first.metadata).not.toHaveProperty('isHistoryCut')

    const second = await answerTo(thread, first.id, 'And again?')
    expect(textOf(second)).toBe('I know: code-heron.')
    const [asked, again] = requests.filter((request) => !isSummary(request))
    const sent = asked?.prompt.map((message) => JSON.stringify(message)) ?? []
    expect(again?.prompt.slice(0, sent.length).map((message) => JSON.stringify(message))).toEqual(sent)
    expect(again?.prompt).toHaveLength(sent.length + 2)
    expect(await summariesOf(thread)).toMatchObject([{ text: 'Said before: code-heron.' }])
    expect(tokensOf(asked?.text ?? '')).toBeLessThan(maxTokens)
    // Each part is read once, and these requests are those of the turn.
    expect(requests.filter(isSummary)).toHaveLength(parts)
    expect(await requestsOf(thread)).toEqual([
      { model: small, count: parts },
      { model: 'moonshotai/kimi-k2', count: 2 },
    ])
  },
)

describe('[S2] the second answer reads what Anthropic has cached of the first', () => {
  /** Searches once for each question. */
  const searching = (asked: Asked): Response =>
    isSummary(asked) || asked.prompt.at(-1)?.role === 'tool'
      ? byCodeWords(asked)
      : calling('search', '{"query":"tides"}', asked.inputTokens)
  const dog = 'Has a dog called Rex.'

  test.each<{ what: string; count: number; hasFacts?: boolean; answer: (asked: Asked) => Response }>([
    { what: 'in a short thread', count: 20, answer: byCodeWords },
    { what: 'after facts that the second does not get', count: 20, hasFacts: true, answer: byCodeWords },
    { what: 'after a summary', count: 300, answer: byCodeWords },
    { what: 'after a tool', count: 20, answer: searching },
    { what: 'after facts, a tool and a summary', count: 300, hasFacts: true, answer: searching },
  ])('$what', async ({ count, hasFacts = false, answer }) => {
    const user = await newUser()
    await subscribe(user)
    const thread = await longThread(user, count)
    if (hasFacts) {
      wire = await connected(user, { queries: [me, recentThreads] })
      await wire.confirmed(wire.mutate('settings.update', { isMemoryOn: true }))
      await insert(content, 'memory', memoryRow(user.userId, thread.threadId, thread.headId, { text: dog, editedAt: 1 }))
    }
    const requests = reachedGateway(answer)
    const first = await answerTo(thread, thread.headId, 'What does my dog eat?', claude)
    const answers = (from = 0) => requests.slice(from).filter((asked) => !isSummary(asked))
    expect(answers().map(({ text }) => text.includes(dog))).toEqual(answers().map(() => hasFacts))
    const before = requests.length
    const second = await answerTo(thread, first.id, 'And again?', claude)
    const [asked] = answers(before)
    expect(asked?.text).not.toContain(dog)
    // All but the last answer, the short results of its tools and the question.
    const { total = 0, cacheRead = 0 } = asked?.inputTokens ?? {}
    expect(cacheRead / total).toBeGreaterThan(0.95)
    expect(second.metadata.use?.cachedInputTokens).toBeGreaterThanOrEqual(cacheRead)
  })
})

test('[S3] the next summary continues the last one, and the window moves rarely', async () => {
  const thread = await longThread(await newUser(), 20)
  const requests = reachedGateway((asked) => (isSummary(asked) ? byCodeWords(asked) : saying('word '.repeat(900))))
  let headId = thread.headId
  for (let turn = 0; turn < 9; turn++) headId = (await answerTo(thread, headId, `Question ${turn}`)).id
  const summaries = requests.filter(isSummary)
  expect(summaries).toHaveLength(2)
  expect(summaries[1]?.text).toContain('the earlier summary')
  // Message 2 is only in the first summary.
  expect(summaries[1]?.text).not.toContain('Message 2.')
  expect(await summariesOf(thread)).toMatchObject([{ text: 'Said before: code-heron.' }, { text: 'Said before: code-heron.' }])
})

describe('[S5] without a summary, the request has a note, and the answer says so:', () => {
  test.each([
    ['the small model fails', () => new Response('{"error":{"message":"no","type":"invalid_request_error"}}', { status: 400 }), []],
    ['the small model writes nothing', () => saying(''), []],
    ['the summary cannot be stored', byCodeWords, ['lost']],
  ] as const)('%s', async (_what, answerOfSmall, faults) => {
    const thread = await longThread(await newUser(), 30)
    const requests = reachedGateway((asked) => (isSummary(asked) ? answerOfSmall(asked) : saying('Sure.')))
    const turn = await ask(thread, thread.headId, 'Go on', { faults })
    await untilEnded(turn)
    expect((await storedAnswer(turn)).metadata).toMatchObject({ ending: 'completed', isHistoryCut: true })
    const [asked] = requests.filter((request) => !isSummary(request))
    expect(asked?.text).toContain('are left out here')
    expect(await summariesOf(thread)).toEqual([])
  })
})

describe('[S5] the object of the turn dies', () => {
  /** Sends a question, kills its object when `dies` is true of a request, and sends the question again. */
  async function killedOnce(dies: (asked: Asked) => boolean) {
    const thread = await longThread(await newUser(), 30)
    let isDead = false
    const requests = reachedGateway(async (asked) => {
      if (isDead || !dies(asked)) return byCodeWords(asked)
      isDead = true
      await kill(turn)
      return new Promise<never>(() => undefined)
    })
    const turn = await ask(thread, thread.headId, 'Which word?')
    await until(() => isDead, Boolean, 'the kill')
    const recover = () => generationOf(turn).recover(turn.generationId, turn.userId)
    await until(
      () =>
        recover().then(
          () => true,
          () => false,
        ),
      Boolean,
      'the next instance',
    )
    await untilEnded(turn)
    expect((await storedAnswer(turn)).metadata).toMatchObject({ ending: 'interrupted', credits: 0 })
    const stored = await summariesOf(thread)
    const answer = await answerTo(thread, thread.headId, 'Which word, again?')
    expect(textOf(answer)).toBe('I know: code-heron.')
    return { stored, summaries: requests.filter(isSummary).length, after: await summariesOf(thread) }
  }

  test('before the summary is written: only the summary is repeated', async () => {
    const { stored, summaries, after } = await killedOnce(isSummary)
    expect([stored.length, summaries, after.length]).toEqual([0, 2, 1])
  })

  test('between the summary and the answer: the stored summary is sent', async () => {
    const { stored, summaries, after } = await killedOnce((asked) => !isSummary(asked))
    expect([stored.length, summaries]).toEqual([1, 1])
    expect(after).toEqual(stored)
  })
})

test('[S5] a stop during the summary ends the turn, and no other request is sent', async () => {
  const thread = await longThread(await newUser(), 30)
  const requests = reachedGateway(() => new Promise<never>(() => undefined))
  const turn = await ask(thread, thread.headId, 'Which word?')
  await until(() => requests.length, Boolean, 'the request of the summary')
  await generationOf(turn).stop(turn.generationId, turn.userId)
  await untilEnded(turn)
  expect((await storedAnswer(turn)).metadata).toMatchObject({ ending: 'stopped' })
  expect(requests.every(isSummary)).toBe(true)
  expect(await summariesOf(thread)).toEqual([])
})

test('[S4] a deleted message takes its summary along when it is purged', async () => {
  const thread = await longThread(await newUser(), 30)
  reachedGateway(byCodeWords)
  await answerTo(thread, thread.headId, 'Which word?')
  expect(await summariesOf(thread)).toHaveLength(1)
  await content.prepare('delete from thread where id = ?').bind(thread.threadId).run()
  expect(await summariesOf(thread)).toEqual([])
})
