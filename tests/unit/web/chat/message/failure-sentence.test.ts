// Sentences of failed answers, with the wait that a busy provider asks for.
import { expect, test } from 'vitest'
import { failureSentence } from '../../../../../web/features/chat/message/ending-note.tsx'

test.each([
  [undefined, 'Wait a moment and try again'],
  [1000, 'Try again in about 1 second,'],
  [2300, 'Try again in about 3 seconds,'],
  [37_000, 'Try again in about 40 seconds,'],
  [60_000, 'Try again in about 1 minute,'],
  [1_500_000, 'Try again in about 25 minutes,'],
  [7_300_000, 'Try again in about 3 hours,'],
  [400_000_000, 'Try again in about 5 days,'],
])('a busy model after %s ms: %s', (retryInMs, sentence) => {
  const failure = { code: 'model_busy', ...(retryInMs !== undefined && { retryInMs }) } as const
  expect(failureSentence(failure, 'Kimi K2')).toContain(`Kimi K2 is too busy right now. ${sentence}`)
})

test('a refusal code has the sentence of the refusal, and an unknown code has none', () => {
  expect(failureSentence({ code: 'storage_full' }, 'Kimi K2')).toMatch(/^Your file storage is full/)
  expect(failureSentence({ code: 'from_a_newer_server' as never }, 'Kimi K2')).toBeNull()
})

test('a refused file is named, and a file that a model made is described', () => {
  const sentence = (...names: readonly string[]) =>
    failureSentence({ code: 'file_refused', files: names.map((name, index) => ({ id: String(index), name })) }, 'Kimi K2')
  expect(sentence('a {b}.pdf')).toMatch(/^The model could not read a \{b\}\.pdf\. Try again without it/)
  expect(sentence('a.pdf', 'b.png')).toMatch(/^The model could not read one of these files: a\.pdf and b\.png\. Try again without them/)
  expect(sentence('')).toMatch(/^The model could not read a picture of an earlier answer\./)
})
