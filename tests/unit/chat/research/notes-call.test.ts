// The calls that take notes contain the topic of the conversation, and nothing else of it.
import { expect, test } from 'vitest'
import type { CallOptions } from '../../../../worker/chat/model/types.ts'
import { notesRequest } from '../../../../worker/chat/research/prompts.ts'
import { generateResearch } from '../../../../worker/chat/research/run-research.ts'
import { ToolFailure } from '../../../../worker/chat/tools/tool-failure.ts'
import { ChunkWriter } from '../../../../worker/chat/turn/chunk-writer.ts'
import type { ChatMessage } from '../../../../worker/contract/threads/messages.ts'
import { noFiles } from '../../../support/no-files.ts'
import { researchInput } from '../../../support/research-input.ts'
import { finish, streamingModel, textParts } from '../../../support/scripted-model.ts'

const before: ChatMessage[] = [
  { id: 'q1', role: 'user', parts: [{ type: 'text', text: 'How much tea is drunk in Turkey?' }] },
  {
    id: 'a1',
    role: 'assistant',
    parts: [
      { type: 'reasoning', text: 'thoughts' },
      { type: 'text', text: 'About three kilograms a head.' },
    ],
    metadata: { modelId: 'm', modelName: 'M', modelIcon: 'm', ending: 'completed', credits: 1 },
  },
]
const question: ChatMessage = { id: 'q2', role: 'user', parts: [{ type: 'text', text: 'And in Germany?' }] }

async function notesOf(history: readonly ChatMessage[]) {
  const seen: CallOptions[] = []
  const model = streamingModel((options) => {
    seen.push(options)
    return [...textParts('Notes [1].'), finish('stop')]
  })
  const work = generateResearch({
    input: researchInput(history),
    model,
    call: {},
    files: noFiles,
    plan: { steps: [{ id: 'step-1', text: 'Tea in Germany', queries: ['tea germany'] }] },
    parts: [],
    emit: () => undefined,
    connection: {
      mark: 'data-mark',
      provider: {
        isStandIn: false,
        contents: () => Promise.reject(new ToolFailure('page_unread', 'The page could not be read.')),
        search: async () => [{ url: 'https://good.org/tea', title: 'Tea', date: null, snippet: 'Little.' }],
      },
    },
  })
  const host = { writer: new ChunkWriter(() => undefined, Date.now), signal: new AbortController().signal, nowMs: Date.now }
  expect(await work(host)).toEqual({ ending: 'completed' })
  const notes = seen.find(({ prompt }) => prompt[0]?.content === notesRequest)
  return notes?.prompt.slice(1).map(({ role, content }) => [role, content[0]]) ?? []
}

test('a follow-up is sent with its context, and the question and the material last', async () => {
  const [first, second, last] = await notesOf([...before, question])
  expect([first, second]).toEqual([
    ['user', { type: 'text', text: 'How much tea is drunk in Turkey?' }],
    ['assistant', { type: 'text', text: 'About three kilograms a head.' }],
  ])
  expect(last).toEqual([
    'user',
    { type: 'text', text: expect.stringMatching(/^And in Germany\?\n\nThe step: Tea in Germany\n\n[\s\S]*Little\./) },
  ])
})

test('a first question has no context, and its files are named', async () => {
  expect(await notesOf([question])).toHaveLength(1)
  const file = { type: 'file', mediaType: 'application/pdf', url: '/api/files/the-paper', filename: 'tea.pdf', sizeBytes: 3 } as const
  const [last] = await notesOf([{ ...question, parts: [file, ...question.parts] }])
  expect(last?.[1]).toMatchObject({ text: expect.stringMatching(/^\[The user attached “tea\.pdf” here\.\]\n\nAnd in Germany\?/) })
})
