// The text of the toast about a deletion.
import { expect, test } from 'vitest'
import { describeMessage } from '../../../../web/sync/deletions.ts'
import { answer, question } from '../chat/build.ts'

test('an answer is named as such, and shown without Markdown', () => {
  const { message } = answer('answer', 'question', [{ type: 'text', text: '## Tea\n\n**Green** and `oolong`.' }])
  expect(describeMessage(message)).toEqual({ kind: 'answer', text: 'Tea Green and oolong.' })
})

test('a message of the user is shown unchanged', () => {
  expect(describeMessage(question('question', null, 'Why C#?').message)).toEqual({ kind: 'message', text: 'Why C#?' })
})
