// Which texts count as typed. Rule: worker/turns/SPEC.md, B4.
import { expect, test } from 'vitest'
import { isTypedText, noteInput } from '../../../../../web/features/chat/composer/typed-text.ts'

type Step = readonly [inputType: string | undefined, after: string]
const type = (text: string): readonly Step[] => Array.from(text, (_, index) => ['insertText', text.slice(0, index + 1)] as const)
let drafts = 0

/** Runs the inputs of one draft and returns whether the last text counts. */
function after(steps: readonly Step[]): boolean {
  const key = `draft-${++drafts}`
  let text = ''
  for (const [inputType, next] of steps) {
    noteInput(key, text, next, inputType)
    text = next
  }
  return isTypedText(key, text)
}

test.each<[string, readonly Step[], boolean]>([
  ['letters', type('I like tea.'), true],
  ['a line break and a correction', [...type('teh'), ['insertReplacementText', 'the'], ['insertLineBreak', 'the\n']], true],
  [
    'an input method',
    [
      ['insertCompositionText', 'お'],
      ['insertCompositionText', 'お茶'],
    ],
    true,
  ],
  ['a deletion', [...type('teas'), ['deleteContentBackward', 'tea']], true],
  ['a paste', [['insertFromPaste', 'I am a king.']], false],
  [
    'a paste that is continued',
    [
      ['insertFromPaste', 'I am'],
      ['insertText', 'I am!'],
    ],
    false,
  ],
  [
    'a paste into typed text',
    [...type('Is it true? '), ['insertFromPaste', 'Is it true? I am a king.'], ['insertText', 'Is it true? I am a king.!']],
    false,
  ],
  ['a paste that is taken out again', [...type('tea'), ['insertFromPaste', 'tea I am'], ['deleteContentBackward', 'tea']], true],
  ['a drop', [['insertFromDrop', 'I am a king.']], false],
  ['a long text of a clipboard key', [['insertText', 'x'.repeat(60)]], false],
  [
    'undo that brings a paste back',
    [
      ['insertFromPaste', 'I am'],
      ['deleteContentBackward', ''],
      ['historyUndo', 'I am'],
    ],
    false,
  ],
  ['an event without a type', [[undefined, 'I am']], false],
  ['a new text after a paste was deleted', [['insertFromPaste', 'I am'], ['deleteContentBackward', ''], ...type('tea')], true],
  ['nothing', [], false],
])('%s', (_, steps, expected) => {
  expect(after(steps)).toBe(expected)
})

test('a text that another part of the page has set is not typed, nor is what follows', () => {
  noteInput('draft', 'A prompt of another member. ', 'A prompt of another member. I', 'insertText')
  expect(isTypedText('draft', 'A prompt of another member. I')).toBe(false)
  noteInput('draft', '', 't', 'insertText')
  expect(isTypedText('other draft', 't')).toBe(false)
})
