// A research stopped in the middle of a step: no text follows, whatever is pending.
import { expect, test } from 'vitest'
import { generateResearch } from '../../../../worker/chat/research/run-research.ts'
import { ToolFailure } from '../../../../worker/chat/tools/tool-failure.ts'
import { ChunkWriter } from '../../../../worker/chat/turn/chunk-writer.ts'
import type { StreamChunk } from '../../../../worker/contract/threads/message-stream.ts'
import { demoModel } from '../../../../worker/dev/demo-model.ts'
import { noFiles } from '../../../support/no-files.ts'
import { researchInput } from '../../../support/research-input.ts'

const steps = ['one', 'two', 'three'].map((text, index) => ({
  id: `step-${index + 1}`,
  text,
  queries: [`${text} first`, `${text} second`],
}))

test('a stopped research writes and searches nothing more', async () => {
  const chunks: StreamChunk[] = []
  const searched: string[] = []
  const stop = new AbortController()
  const work = generateResearch({
    input: researchInput([{ id: 'q', role: 'user', parts: [{ type: 'text', text: 'What is known?' }] }]),
    model: demoModel('Model'),
    call: {},
    files: noFiles,
    plan: { steps },
    parts: [],
    emit: (chunk) => chunks.push(chunk),
    connection: {
      mark: 'data-mark',
      provider: {
        isStandIn: false,
        contents: () => Promise.reject(new ToolFailure('page_unread', 'The page could not be read.')),
        search: async (query) => {
          searched.push(query)
          stop.abort()
          throw new Error('aborted')
        },
      },
    },
  })
  const outcome = await work({
    writer: new ChunkWriter((chunk) => chunks.push(chunk), Date.now),
    signal: stop.signal,
    nowMs: Date.now,
  })
  expect(outcome).toEqual({ ending: 'completed' })
  expect(searched.every((query) => query.startsWith('one'))).toBe(true)
  expect(chunks.map(({ type }) => type).filter((type) => type !== 'tool-input-available')).toEqual([])
  expect(JSON.stringify(chunks)).not.toMatch(/step-2|step-3/)
})
