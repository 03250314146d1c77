// The requests of a turn stay within the credits that it reserved, whatever the model and its tools do.
import { tool } from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { finishNow, type ModelCall, type Outcome, type RunHost, runModel } from '../../../worker/chat/model/call.ts'
import { Spending } from '../../../worker/chat/model/spending.ts'
import { toolTokens } from '../../../worker/chat/model/tool-tokens.ts'
import type { CallOptions, ProviderModel } from '../../../worker/chat/model/types.ts'
import { generateResearch } from '../../../worker/chat/research/run-research.ts'
import { sourceTool } from '../../../worker/chat/tools/registry.ts'
import { ChunkWriter } from '../../../worker/chat/turn/chunk-writer.ts'
import { generationFor } from '../../../worker/chat/turn/generation.ts'
import { budgetFor } from '../../../worker/contract/models/context-budget.ts'
import { sentRequest } from '../../../worker/contract/models/context-window.ts'
import type { TurnMode } from '../../../worker/contract/models/modes.ts'
import { defaultCreditMicroDollars as price, quoteFor, tokenPrices, toolFee } from '../../../worker/contract/models/quote.ts'
import { textTokens } from '../../../worker/contract/models/token-estimates.ts'
import { readPageTool, searchTool } from '../../../worker/contract/models/tools.ts'
import { turnQuote } from '../../../worker/contract/models/turn-quote.ts'
import type { RowOf } from '../../../worker/contract/schema.ts'
import type { StreamChunk } from '../../../worker/contract/threads/message-stream.ts'
import type { ChatMessage, ToolPart } from '../../../worker/contract/threads/messages.ts'
import { catalogueRows } from '../../support/migrated-db.ts'
import { noFiles } from '../../support/no-files.ts'
import { researchInput } from '../../support/research-input.ts'
import { createRng, type Rng } from '../../support/rng.ts'
import { finish, streamingModel, textParts } from '../../support/scripted-model.ts'
import { metadata } from '../web/chat/build.ts'

const priced = catalogueRows().filter((row) => row.unavailable == null && tokenPrices(row) !== null && row.capabilities?.includes('tools'))
const question = (chars: number): ChatMessage => ({ id: 'q', role: 'user', parts: [{ type: 'text', text: 'x'.repeat(chars) }] })

const textsOf = (prompt: CallOptions['prompt']): string =>
  prompt
    .map(({ content }) =>
      typeof content === 'string' ? content : content.map((part) => ('text' in part ? part.text : JSON.stringify(part))).join(''),
    )
    .join('')

/** Pays for each request what it reads and writes, and at most what the prompt was estimated at. */
class Bill {
  microDollars = 0
  requests = 0
  newest: CallOptions | undefined
  readonly #prices
  readonly #rng: Rng

  constructor(model: RowOf<'model'>, rng: Rng) {
    this.#prices = tokenPrices(model)
    this.#rng = rng
  }

  /** The model uses its whole output limit. */
  add(asked: CallOptions): number {
    const { prompt, maxOutputTokens = 0 } = asked
    this.newest = asked
    const inputTokens = textTokens(textsOf(prompt)) * (0.6 + 0.4 * this.#rng.next())
    const cost = inputTokens * (this.#prices?.written ?? 0) + maxOutputTokens * (this.#prices?.output ?? 0)
    this.microDollars += cost
    this.requests += 1
    return Math.ceil(cost)
  }
}

type Run = { readonly outcome: Outcome; readonly bill: Bill; readonly limit: number; readonly chunks: readonly StreamChunk[] }

/** A model that searches and reads in every step that has tools, several times at once. */
function greedy(bill: Bill, rng: Rng, report: (cost: number) => void): ProviderModel {
  let calls = 0
  return streamingModel((options) => {
    report(bill.add(options))
    if (!options.tools?.length || options.toolChoice?.type === 'none') return [...textParts('Tea is a plant.'), finish('stop')]
    const parts = Array.from({ length: 1 + rng.below(4) }, () => {
      const toolName = rng.pick([searchTool, readPageTool])
      return { type: 'tool-call' as const, toolCallId: `call-${++calls}`, toolName, input: '{}' }
    })
    return [...parts, finish('tool-calls')]
  })
}

async function answer(row: RowOf<'model'>, mode: TurnMode, rng: Rng, chars: number, isShort: boolean): Promise<Run> {
  const history = [question(chars)]
  const budget = budgetFor('pro', row)
  const { inputTokens } = sentRequest(history, budget, {})
  const quote = quoteFor({ model: row, plan: 'pro', mode, mayUseTools: true, inputTokens }, price)
  const reserved = isShort ? quote.expected : quote.expected + rng.below(quote.most - quote.expected + 1)
  const bill = new Bill(row, rng)
  const spending = Spending.of({ model: row, effort: null, microDollars: reserved * price, fileTokens: 0 })
  const found = (name: string) =>
    tool({
      inputSchema: z.object({}),
      execute: () => {
        bill.microDollars += toolFee(name)
        return 'y'.repeat(rng.below(20_000))
      },
    })
  const chunks: StreamChunk[] = []
  let newest = 0
  const call: ModelCall = {
    model: greedy(bill, rng, (cost) => (newest = cost)),
    instructions: 'Answer.',
    messages: [{ role: 'user', content: 'x'.repeat(chars) }],
    maxOutputTokens: budget.outputTokens,
    tools: { [searchTool]: found(searchTool), [readPageTool]: found(readPageTool) },
    toolTokens: toolTokens(budget, history),
  }
  const host: RunHost = {
    writer: new ChunkWriter((chunk) => chunks.push(chunk), Date.now),
    signal: new AbortController().signal,
    nowMs: Date.now,
    spending,
    onResponse: () => () => spending?.answered(rng.chance(0.9) ? newest : null),
  }
  return { outcome: await runModel(call, host), bill, limit: reserved * price, chunks }
}

const seeds = [1, 2, 3, 4, 5, 6]

test.each(seeds)('a turn with tools costs at most what it reserved, for every model: seed %i', async (seed) => {
  const rng = createRng(seed)
  for (const row of priced)
    for (const isShort of [true, false]) {
      const mode = rng.pick(['chat', 'search'] as const)
      const { bill, limit } = await answer(row, mode, rng, 10 + rng.below(60_000), isShort)
      expect(bill.microDollars, `${row.id} ${mode}`).toBeLessThanOrEqual(limit)
      expect(bill.requests).toBeGreaterThan(0)
    }
})

test('a forced search searches and answers with what is expected, for every model', async () => {
  const rng = createRng(7)
  for (const row of priced) {
    const { outcome, chunks } = await answer(
      row,
      'search',
      { ...rng, below: (bound) => Math.min(1, bound - 1), pick: (from) => from[0] as never },
      30,
      true,
    )
    expect(
      chunks.some(({ type }) => type === 'tool-output-available'),
      row.id,
    ).toBe(true)
    expect(outcome, row.id).toEqual({ ending: 'completed' })
  }
})

test('calls that the credits do not suffice for are refused, and the last request says that no tool is left', async () => {
  // Four searches in each step, with short results.
  const rng = { ...createRng(9), below: (bound: number) => Math.min(3, bound - 1), pick: (from: readonly unknown[]) => from[0] as never }
  let refusals = 0
  for (const row of priced) {
    const { outcome, bill, chunks } = await answer(row, 'search', rng, 30, true)
    expect(outcome, row.id).toEqual({ ending: 'completed' })
    const refused = chunks.flatMap((chunk) => (chunk.type === 'tool-output-error' ? [chunk.errorText] : []))
    for (const text of refused) expect(text).toBe('The credits of this answer do not suffice for this call. Answer with what is known.')
    refusals += refused.length
    const { prompt = [], tools = [], toolChoice } = bill.newest ?? {}
    expect(tools.length === 0 || toolChoice?.type === 'none', row.id).toBe(true)
    expect(textsOf(prompt), row.id).toContain(finishNow)
  }
  expect(refusals).toBeGreaterThan(priced.length)
})

test('an answer without credits for tools is written without them', async () => {
  const rng = createRng(8)
  const [row] = priced
  if (!row) throw new Error('no model')
  const { outcome, bill, chunks } = await answer(row, 'chat', rng, 30, true)
  expect(outcome).toEqual({ ending: 'completed' })
  expect(bill.requests).toBe(1)
  expect(chunks.some(({ type }) => type.startsWith('tool-'))).toBe(false)
})

/** An answer that waits for allowed calls, and the turn that makes them. Each tool returns more than the model may receive. */
async function continued(row: RowOf<'model'>, rng: Rng, callsMore: boolean): Promise<Run> {
  const path = [{ parentId: null, message: question(10 + rng.below(20_000)) }]
  const tools = Array.from({ length: 1 + rng.below(3) }, () => rng.pick([searchTool, readPageTool, 'send_mail']))
  const source = { id: 'mail', name: 'Mail' }
  const waiting = tools.map(
    (name, index): ToolPart => ({
      ...{ type: `tool-${name}`, toolCallId: `call-${index}`, source, state: 'approval-responded', input: {} },
      // A declined request of a server is a call too.
      approval: { id: `approval-${index}`, ...rng.pick([{ approved: true }, { approved: false, isInput: true }]) },
    }),
  )
  const answer = { id: 'a', role: 'assistant', parts: waiting, metadata: metadata() } as const
  const rows = {
    model: row,
    plan: 'pro',
    mode: 'chat',
    effort: null,
    path,
    continued: answer,
    definitionTokens: 0,
    hasMemory: false,
  } as const
  const quote = turnQuote(rows, price)
  const reserved = rng.chance(0.5) ? quote.expected : quote.expected + rng.below(quote.most - quote.expected + 1)
  const bill = new Bill(row, rng)
  const spending = Spending.of({ model: row, effort: null, microDollars: reserved * price, fileTokens: 0 })
  const made = (name: string) => ({
    ...sourceTool({
      ...{ name, title: name, description: '', digest: '1', isReadOnly: true, inputSchema: z.object({}) },
      execute: async () => {
        bill.microDollars += toolFee(name)
        return { shown: 'Done.', forModel: { from: 'a tool', text: 'y'.repeat(rng.below(40_000)) } }
      },
    }),
  })
  const chunks: StreamChunk[] = []
  const writer = new ChunkWriter((chunk) => chunks.push(chunk), Date.now)
  for (const chunk of writer.repeat(waiting)) chunks.push(chunk)
  let newest = 0
  const report = (cost: number) => (newest = cost)
  const answers = streamingModel((options) => {
    report(bill.add(options))
    return [...textParts('Done.'), finish('stop')]
  })
  const model = callsMore ? greedy(bill, rng, report) : answers
  const calls = waiting.map(({ toolCallId, approval }, index) => ({
    ...{ id: approval?.id ?? '', toolCallId, isAllowed: true, source, tool: tools[index] ?? '', title: '' },
    ...{ description: '', digest: '1', input: {} },
  }))
  const work = generationFor(
    {
      ...{ history: path.map(({ message }) => message), model: row, fallbacks: [], mode: 'chat', plan: 'pro', effort: null },
      profile: { name: 'Ada' },
    },
    { model, demo: true },
    {
      standIns: { tools: [{ ...source, tools: [...new Set(tools)].map(made) }] },
      disabledFeatures: new Set(['search']),
      search: null,
    } as never,
    { parts: waiting, decisions: { calls, markCalled: async () => true }, files: noFiles, emit: (chunk) => chunks.push(chunk) },
  )
  if (typeof work !== 'function') throw new Error(work.code)
  const onResponse = () => () => spending?.answered(newest)
  const outcome = await work({ writer, signal: new AbortController().signal, nowMs: Date.now, spending, onResponse })
  return { outcome, bill, limit: reserved * price, chunks }
}

test.each(seeds)('a turn with allowed calls costs at most what it reserved, for every model: seed %i', async (seed) => {
  const rng = createRng(100 + seed)
  for (const row of priced) {
    const callsMore = rng.chance(0.3)
    const { bill, limit, outcome } = await continued(row, rng, callsMore)
    if (!callsMore) expect(outcome, row.id).toEqual({ ending: 'completed' })
    expect(bill.microDollars, row.id).toBeLessThanOrEqual(limit)
  }
})

describe('a single request', () => {
  const row = { capabilities: [], inputMicroDollarsPerMillionTokens: 1_000_000, outputMicroDollarsPerMillionTokens: 10_000_000 }
  const ask = async (microDollars: number, reason: 'stop' | 'length') => {
    let limit: number | undefined
    const model = streamingModel((options) => {
      limit = options.maxOutputTokens
      return [...textParts('Tea'), { ...finish('stop'), finishReason: { unified: reason, raw: reason } } as never]
    })
    const spending = Spending.of({ model: row, effort: null, microDollars, fileTokens: 0 })
    const host = { writer: new ChunkWriter(() => undefined, Date.now), signal: new AbortController().signal, nowMs: Date.now, spending }
    const messages = [{ role: 'user' as const, content: 'x'.repeat(3_000) }]
    const outcome = await runModel({ model, instructions: '', messages, maxOutputTokens: 4_000, tools: null }, host)
    return { limit, outcome }
  }

  test('has the output limit that is left after its input', async () => expect((await ask(21_000, 'stop')).limit).toBe(2_000))
  test('has the limit of the model if more is left', async () => expect((await ask(90_000, 'stop')).limit).toBe(4_000))
  test('has the expected output in any case', async () => expect((await ask(1, 'stop')).limit).toBe(600))
  test('that the credits cut off says so', async () => {
    expect((await ask(21_000, 'length')).outcome).toMatchObject({ failure: { code: 'credits_spent' } })
    expect((await ask(90_000, 'length')).outcome).toMatchObject({ failure: { code: 'model_length' } })
  })
})

test.each(seeds)('a research costs at most what it reserved, and ends with a report, for every model: seed %i', async (seed) => {
  const rng = createRng(seed)
  for (const row of priced.filter((_, index) => index % seeds.length === seed % seeds.length)) {
    const steps = Array.from({ length: 1 + rng.below(8) }, (_, index) => ({
      id: `step-${index}`,
      text: 'Tea',
      queries: ['tea', 'green tea'],
    }))
    const history = [question(10 + rng.below(20_000))]
    const budget = budgetFor('pro', row)
    const { inputTokens } = sentRequest(history, budget, {})
    const research = { steps: steps.length, planMicroDollars: 0 }
    const quote = quoteFor({ model: row, plan: 'pro', mode: 'research', inputTokens, research }, price)
    const reserved = rng.pick([quote.expected, quote.most])
    const bill = new Bill(row, rng)
    const spending = Spending.of({ model: row, effort: null, microDollars: reserved * price, fileTokens: 0 })
    let newest = 0
    const model = streamingModel((options) => {
      newest = bill.add(options)
      return [...textParts('n'.repeat(3 * rng.below(2_000) + 3)), finish('stop')]
    })
    const words = () => 'y'.repeat(rng.below(12_000))
    const work = generateResearch({
      ...{
        input: researchInput(history),
        model,
        call: { maxOutputTokens: budget.outputTokens },
        files: noFiles,
        plan: { steps },
        parts: [],
      },
      emit: () => undefined,
      connection: {
        mark: 'data-mark',
        provider: {
          isStandIn: false,
          contents: async (url: string) => {
            bill.microDollars += toolFee(readPageTool)
            return { url, title: 'Tea', text: words(), isCut: false }
          },
          search: async () => {
            bill.microDollars += toolFee(searchTool)
            return [1, 2, 3, 4].map((page) => ({
              url: `https://good.org/${rng.below(1_000)}/${page}`,
              title: 'Tea',
              date: null,
              snippet: 'Little.',
            }))
          },
        },
      },
    })
    const chunks: StreamChunk[] = []
    const writer = new ChunkWriter((chunk) => chunks.push(chunk), Date.now)
    const onResponse = () => () => spending?.answered(newest)
    const outcome = await work({ writer, signal: new AbortController().signal, nowMs: Date.now, spending, onResponse })
    expect(outcome, row.id).toEqual({ ending: 'completed' })
    expect(writer.hasContent).toBe(true)
    expect(bill.microDollars, row.id).toBeLessThanOrEqual(reserved * price)
  }
})
