// Mistakes of models around the input of a tool call, from public bug reports: an unambiguous object is used; the model learns of any other mistake.
import { expect, test } from 'vitest'
import { readableInput } from '../../../worker/chat/model/readable-input.ts'
import { timesAsLong } from '../../support/times-as-long.ts'

const object = { query: 'tides' }

test.each<readonly [string, string, unknown]>([
  // openai/openai-agents-js#712
  ['an empty object before it', '{}{"query":"tides"}', object],
  // mastra-ai/mastra#13829
  ['a mark of the template after it', '{"query":"tides"}<|call|>', object],
  ['several marks after it', '{"query":"tides"} <|call|>\n<|endoftext|>', object],
  // OpenHands/software-agent-sdk#2488
  ['escaped line breaks outside of texts', '{"query": \\n"tides"\\n}', object],
  // CherryHQ/cherry-studio#5411
  ['encoded twice', '"{\\"query\\":\\"tides\\"}"', object],
  ['null, for no arguments', 'null', {}],
  ['a fence', '```json\n{"query":"tides"}\n```', object],
  ['line breaks inside of a text', '{"query":"ti\n\tdes \\" \\n"}', { query: 'ti\n\tdes " \n' }],
  ['a mark inside of a text', '{"query":"<|call|>"}<|call|>', { query: '<|call|>' }],
  ['an empty object inside', '{"a":{}}', { a: {} }],
])('%s', (_name, written, input) => expect(JSON.parse(readableInput(written))).toEqual(input))

test.each([
  ...[
    '',
    ' ',
    '{"query":"tid',
    '{"query":"tides"',
    '{"query":?}',
    "{'query':'tides'}",
    '{"a":1}{"b":2}',
    '[{"query":"tides"}]',
    '"tides"',
    '5',
  ],
  ...['{}{}{"a":1}', '<|call|>', '```', '```json\n{"a"\n```', '{"a":1} and more', '|>', '\\'],
])('%j stays as it is', (written) => expect(readableInput(written)).toBe(written))

test.each(['<|a|>', '\\n', '{}', '"', '|>', '```\n', ' '])('many %j take as long as words', (unit) => {
  const times = (text: string) => () => readableInput(text.repeat(50_000))
  expect(timesAsLong(times(unit), times('words '))).toBeLessThan(100)
})
