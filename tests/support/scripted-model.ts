/** Models whose output is defined by the test. */
import type { CallOptions, ProviderModel, ProviderPart } from '../../worker/chat/model/types.ts'

type Finish = Extract<ProviderPart, { type: 'finish' }>

export const usage: Finish['usage'] = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

const raws = { stop: 'stop', 'tool-calls': 'tool_calls' } as const

export const finish = (unified: keyof typeof raws): Finish => ({ type: 'finish', usage, finishReason: { unified, raw: raws[unified] } })

export const textParts = (text: string): ProviderPart[] => [
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta: text },
  { type: 'text-end', id: 't' },
]

/** Implements only the given methods. */
export const scriptedModel = (acts: Partial<Pick<ProviderModel, 'doGenerate' | 'doStream'>>): ProviderModel => ({
  specificationVersion: 'v4',
  provider: 'script',
  modelId: 'script',
  supportedUrls: {},
  doGenerate: () => Promise.reject(new Error('only streams')),
  doStream: () => Promise.reject(new Error('never streams')),
  ...acts,
})

/** Returns the parts created for each call. */
export const streamingModel = (partsFor: (options: CallOptions) => readonly ProviderPart[]): ProviderModel =>
  scriptedModel({
    doStream: async (options) => {
      const parts = partsFor(options)
      const start = (controller: ReadableStreamDefaultController<ProviderPart>) => {
        for (const part of parts) controller.enqueue(part)
        controller.close()
      }
      return { stream: new ReadableStream({ start }) }
    },
  })
