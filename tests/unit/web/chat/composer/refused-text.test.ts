// The notice on rejected files.
import { expect, test } from 'vitest'
import { refusedText } from '../../../../../web/features/chat/composer/attach-files.ts'
import { type RefusalCode, refusal } from '../../../../../worker/contract/errors.ts'
import { sentenceOf } from '../../../../support/refused-sentence.ts'

const refused = (code: RefusalCode, ...names: readonly string[]) => names.map((name) => ({ name, refusal: refusal(code) }))

test('names the files as long as they are few', () => {
  expect(refusedText(refused('too_many_files', '6.png'))).toBe('A message can have up to 5 files. Not attached: 6.png.')
  expect(refusedText(refused('too_many_files', '6.png', '7.png', '8.png'))).toContain('Not attached: 6.png, 7.png, and 8.png.')
  expect(refusedText(refused('too_many_files', '6.png', '7.png', '8.png', '9.png'))).toContain('4 files were not attached.')
})

test('shows a reason once, with its files only', () => {
  expect(refusedText([...refused('file_empty', 'a.txt'), ...refused('file_type', 'b.zip'), ...refused('file_empty', 'c.txt')])).toBe(
    `a.txt: ${sentenceOf('file_empty')} 1 more file has the same problem. b.zip: ${sentenceOf('file_type')}`,
  )
  expect(refusedText([...refused('file_type', 'b.zip'), ...refused('too_many_files', '6.png')])).toBe(
    `b.zip: ${sentenceOf('file_type')} A message can have up to 5 files. Not attached: 6.png.`,
  )
})
