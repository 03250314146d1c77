// Thoughts in the text of an answer: which marks count, and that the live parts, the stored parts and a title agree. Every text is sent whole, cut
// at each position, and letter by letter.
import { generateText } from 'ai'
import { describe, expect, test } from 'vitest'
import { checkedModel } from '../../../worker/chat/model/stream-checks.ts'
import { maxUnopenedChars } from '../../../worker/chat/model/thoughts.ts'
import type { ProviderModel, ProviderPart } from '../../../worker/chat/model/types.ts'
import { answerTo } from '../../support/model-run.ts'
import { scriptedModel, usage } from '../../support/scripted-model.ts'

const stop = { unified: 'stop', raw: 'stop' } as const

const separated = (model: ProviderModel) => checkedModel(model, { silenceMs: 60_000, takeViolation: () => null })
const textParts = (deltas: readonly string[]): readonly ProviderPart[] => [
  { type: 'text-start', id: 't' },
  ...deltas.map((delta) => ({ type: 'text-delta' as const, id: 't', delta })),
  { type: 'text-end', id: 't' },
]
const streamOf = (parts: readonly ProviderPart[]) =>
  new ReadableStream<ProviderPart>({
    start(controller) {
      for (const part of parts) controller.enqueue(part)
      controller.close()
    },
  })

async function proseIn(
  parts: readonly ProviderPart[],
  modelId = 'maker/slug',
  finishReason: { unified: 'stop' | 'length'; raw: string } = stop,
) {
  const model = {
    ...scriptedModel({ doStream: async () => ({ stream: streamOf([...parts, { type: 'finish', finishReason, usage }]) }) }),
    modelId,
  }
  const { parts: written } = await answerTo('Hello?', { model: separated(model), tools: null })
  return written.flatMap((part) => ('text' in part && (part.type === 'text' || part.type === 'reasoning') ? [[part.type, part.text]] : []))
}

/** Some ways to send a text: whole, in two pieces, and in pieces of one character. */
function waysToSend(text: string): readonly (readonly string[])[] {
  const cuts = Array.from({ length: Math.min(text.length, 120) }, (_, at) => [text.slice(0, at + 1), text.slice(at + 1)])
  return [[text], ...cuts, [...text]]
}

type Row = { readonly name: string; readonly text: string; readonly reasoning?: string; readonly answer: string }

const fence = '```'
const counted: readonly Row[] = [
  ...[
    ['<think>', '</think>'],
    ['<thinking>', '</thinking>'],
    ['<Thought>', '</Thought>'],
    ['◁think▷', '◁/think▷'],
    ['[THINK]', '[/THINK]'],
    ['<seed:think>', '</seed:think>'],
    ['<|START_THINKING|>', '<|END_THINKING|><|START_RESPONSE|>'],
    ['<|channel>thought\n', '<channel|>'],
    ['<|channel|>analysis<|message|>', '<|end|><|start|>assistant<|channel|>final<|message|>'],
    ['<|start|>assistant<|channel|>analysis<|message|>', '<|start|>assistant<|channel|>final<|message|>'],
  ].map(([opening, closing]) => ({
    name: `${opening}…${closing}`,
    text: `${opening}\nThey greet me.\n${closing}\n\nGood morning!`,
    reasoning: 'They greet me.',
    answer: 'Good morning!',
  })),
  { name: 'white space before the mark', text: ' \n<think>hm</think>Hello', reasoning: 'hm', answer: 'Hello' },
  { name: 'thoughts without a letter', text: '<think>\n\n</think>\n\nHello', answer: 'Hello' },
  {
    name: 'the mark named in the thoughts',
    text: '<think>Is `</think>` a tag?\n</think>\nYes',
    reasoning: 'Is `</think>` a tag?',
    answer: 'Yes',
  },
  {
    name: 'only the closing mark',
    text: 'They say hi. I greet back.\n</think>\n\nGood morning!',
    reasoning: 'They say hi. I greet back.',
    answer: 'Good morning!',
  },
  {
    name: 'only the closing mark, behind a sentence',
    text: 'They say hi.</think>Good morning!',
    reasoning: 'They say hi.',
    answer: 'Good morning!',
  },
  {
    name: 'only the closing mark, before an empty line',
    text: 'I greet back</think>\n\nGood morning!',
    reasoning: 'I greet back',
    answer: 'Good morning!',
  },
  { name: 'only the closing mark, at the start', text: '</think>\n\nGood morning!', answer: 'Good morning!' },
  {
    name: 'only the closing mark, after code',
    text: `A loop:\n${fence}js\nfor (;;) {}\n${fence}\n</think>\nHello`,
    reasoning: `A loop:\n${fence}js\nfor (;;) {}\n${fence}`,
    answer: 'Hello',
  },
  // `İ` has two letters in lower case.
  { name: 'letters that grow in lower case', text: '<think>İİİİ</think>İyi günler<|im_end|>', reasoning: 'İİİİ', answer: 'İyi günler' },
  { name: 'a mark of the template at the end', text: 'Hello!<|im_end|>\n', answer: 'Hello!' },
  { name: 'two marks of the template at the end', text: '<|channel|>final<|message|>Hello!<|return|><|endoftext|>', answer: 'Hello!' },
]

const unchanged: readonly Row[] = [
  `Strip it:\n\n${fence}js\ntext.replace(/<think>[\\s\\S]*?<\\/think>/, "")\n${fence}\n\nIt works.`,
  `An example:\n\n${fence}\n<think>\nhm\n</think>\n${fence}\n\nThat is all.`,
  `Only the end:\n\n${fence}\nhm.\n</think>\n${fence}\n\nThat is all.`,
  'The model ends its thoughts with `</think>` and then answers.',
  'The tags are <think> and </think>, as in XML.',
  'First a word.\n<think>\nhm\n</think>\nThen the answer.',
  `${fence}xml\n<think>hm</think>\n${fence}`,
  'Thoughts without an answer.\n</think>',
  'The mark is </think>\n\nIt ends thoughts.',
  'Thoughts</think> end.',
  'The mark is <|im_end|>',
  'Write `<|im_end|>`',
  '<|im_end|> ends a message.',
  'a < b and [x] or <',
  '<thin line> of text',
  '   indented',
].map((text) => ({ name: JSON.stringify(text), text, answer: text }))

describe.each([...counted, ...unchanged])('$name', ({ text, reasoning, answer }) => {
  const expected = [...(reasoning === undefined ? [] : [['reasoning', reasoning]]), ['text', answer]]

  test('gives the same parts, however it is sent', async () => {
    for (const deltas of waysToSend(text)) expect(await proseIn(textParts(deltas)), JSON.stringify(deltas)).toEqual(expected)
  })

  test('gives the same text without a stream', async () => {
    const model = scriptedModel({
      doGenerate: async () => ({ content: [{ type: 'text', text }], finishReason: stop, usage, warnings: [] }),
    })
    const whole = await generateText({ model: separated(model), prompt: 'Hello?' })
    expect([whole.text, whole.finalStep.reasoningText]).toEqual([answer, reasoning])
  })
})

test('the channels of gpt-oss without their marks are read for this model only', async () => {
  const text = 'analysisThey ask for four.assistantfinalfour'
  for (const deltas of waysToSend(text)) {
    expect(await proseIn(textParts(deltas), 'openai/gpt-oss-20b')).toEqual([
      ['reasoning', 'They ask for four.'],
      ['text', 'four'],
    ])
    expect(await proseIn(textParts(deltas))).toEqual([['text', text]])
  }
  for (const plain of ['Analysis of tides', 'analysis without an end'])
    expect(await proseIn(textParts([...plain]), 'openai/gpt-oss-20b')).toEqual([['text', plain]])
})

test('an opening mark without a closing one is the beginning of the text', async () => {
  for (const text of ['<think> is a tag of DeepSeek.', ' <think>\nHello\n\nworld ', '<|channel|>analysis<|message|>Hello'])
    for (const deltas of waysToSend(text)) expect(await proseIn(textParts(deltas))).toEqual([['text', text]])
})

test('thoughts that the length limit ends stay thoughts', async () => {
  expect(await proseIn(textParts(['<think>hm']), 'maker/slug', { unified: 'length', raw: 'length' })).toEqual([['reasoning', 'hm']])
})

test('a text that is read for long before a closing mark arrives stays text', async () => {
  const long = `${'word '.repeat(Math.ceil(maxUnopenedChars / 5))}.\n`
  expect(await proseIn(textParts([long, '</think>\n', 'Hello']))).toEqual([['text', `${long}</think>\nHello`]])
  const short = long.slice(-maxUnopenedChars)
  expect(await proseIn(textParts([short, '</think>\n', 'Hello']))).toEqual([
    ['reasoning', short.trim()],
    ['text', 'Hello'],
  ])
})

test('a model that sends thoughts in their own field has none in its text', async () => {
  const thoughts: readonly ProviderPart[] = [
    { type: 'reasoning-start', id: 'r' },
    { type: 'reasoning-delta', id: 'r', delta: 'hm' },
    { type: 'reasoning-end', id: 'r' },
  ]
  const text = '<think>x</think> is how it looks.'
  expect(await proseIn([...thoughts, ...textParts([...text])])).toEqual([
    ['reasoning', 'hm'],
    ['text', text],
  ])
  // The server has cut the thoughts off one mark too early.
  expect(await proseIn([...thoughts, ...textParts(['\n</think>\n\n', 'Hello'])])).toEqual([
    ['reasoning', 'hm'],
    ['text', 'Hello'],
  ])
})

test.each(['anthropic/claude-opus-5', 'us.anthropic.claude-opus-5', 'openai/gpt-5.5', 'o3', 'google/gemini-3-pro', 'xai/grok-4'])(
  'the text of %s is not read for marks',
  async (modelId) => {
    const text = '<think>x</think>\n\nHello<|im_end|>'
    expect(await proseIn(textParts([text]), modelId)).toEqual([['text', text]])
  },
)

test('thoughts before a tool call stay thoughts', async () => {
  const parts: readonly ProviderPart[] = [
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: '<think>I search.' },
    { type: 'tool-call', toolCallId: 'c', toolName: 'none', input: '{}' },
  ]
  expect(await proseIn(parts)).toEqual([['reasoning', 'I search.']])
})
