// What a toast says of something that was deleted.
import { expect, test } from 'vitest'
import { saidIn } from '../../../web/sync/deletions.ts'
import { answer, question } from './thread/build.ts'

test('an answer is called one, and is told without its marks', () => {
  const { message } = answer('answer', 'question', [{ type: 'text', text: '## Tea\n\n**Green** and `oolong`.' }])
  expect(saidIn(message)).toEqual({ kind: 'answer', words: 'Tea Green and oolong.' })
})

test('what a person wrote stands as they wrote it', () => {
  expect(saidIn(question('question', null, 'Why C#?').message)).toEqual({ kind: 'message', words: 'Why C#?' })
})
