import { describe, expect, test } from 'vitest'
import { cleanTitle, titleFromText } from '../../../worker/contract/threads/titles.ts'
import { createRng } from '../../support/rng.ts'

describe('cleanTitle', () => {
  const cases: [string, string | null][] = [
    ['A plain title', 'A plain title'],
    ['  "Quoted title."  ', 'Quoted title'],
    ['“Curly” ‘quotes’ «and» „others“', 'Curly quotes and others'],
    ["Don't lose the user's apostrophes", 'Don’t lose the user’s apostrophes'],
    ['Title: with colons: twice', 'Title with colons twice'],
    ['時間：表', '時間 表'],
    ['# **Bold** _heading_ with `code`', 'Bold heading with code'],
    ['- a list item', 'a list item'],
    ['Summarize my_report_final.pdf', 'Summarize my_report_final.pdf'],
    ['_draft_.pdf and __init__.py', '_draft_.pdf and __init__.py'],
    ['What does __init__ do in snake_case code', 'What does __init__ do in snake_case code'],
    ['__Two words__ and ***all*** and ~~gone~~, **_both_**', 'Two words and all and gone, both'],
    ['2*3*4 and 5 * 6 * 7', '2*3*4 and 5 * 6 * 7'],
    ['解释**重要**的~~旧~~概念，これは**「核心」**です', '解释重要的旧概念，これは「核心」です'],
    ['**Title:** Trip to Rome', 'Title Trip to Rome'],
    ['"**“A”:** *‘b:’* __c :__"', 'A b c'],
    ['**注意：**请看', '注意 请看'],
    ['3~5天的2*3*4和a_b_c', '3~5天的2*3*4和a_b_c'],
    ['***', null],
    ['> quoted\nand a second line', 'quoted and a second line'],
    ['What is 2 + 2?', 'What is 2 + 2?'],
    ['C++ or C#', 'C++ or C#'],
    ['???', '???'],
    ['"\'`:', null],
    ['', null],
    ['a\u0000b\u200bc', 'a b c'],
  ]
  test.each(cases)('%j is %j', (text, title) => expect(cleanTitle(text)).toBe(title))

  test('truncates at a word, with an ellipsis', () => {
    const title = cleanTitle('word '.repeat(40)) ?? ''
    expect(title.length).toBeLessThanOrEqual(80)
    expect(title.endsWith('word…')).toBe(true)
  })

  test('truncates text without spaces, but not inside a character', () => {
    expect(cleanTitle('字'.repeat(200))).toBe(`${'字'.repeat(79)}…`)
    const balloons = cleanTitle(`x${'🎈'.repeat(100)}`) ?? ''
    expect(balloons.isWellFormed()).toBe(true)
    expect(balloons.length).toBeLessThanOrEqual(80)
  })

  test('results for any text are short, one line, without quotes and colons, and stable', () => {
    const pieces = ['a', 'word', ' ', '\n', '"', "'", '’', ':', '：', '…', '🎈', '#', '*', '`', '.', '字', '«', "it's", 'x'.repeat(50)]
    for (let seed = 1; seed <= 2000; seed++) {
      const rng = createRng(seed)
      const text = Array.from({ length: rng.below(40) }, () => rng.pick(pieces)).join('')
      const title = cleanTitle(text)
      if (title === null) continue
      expect(title.length, `seed ${seed}`).toBeLessThanOrEqual(80)
      expect(title, `seed ${seed}`).toMatch(/^[^"'“”«»`:：\n]+$/)
      expect(title, `seed ${seed}`).toBe(title.trim())
      expect(title.isWellFormed(), `seed ${seed}`).toBe(true)
    }
  })
})

describe('titleFromText', () => {
  const cases: [string, string][] = [
    ['Write me a poem about autumn', 'Write me a poem about autumn'],
    ['\n\n```\n"""\n```\nWhat does this do?', 'What does this do?'],
    ['"', 'New thread'],
    ['', 'New thread'],
  ]
  test.each(cases)('of %j is %j', (text, title) => expect(titleFromText(text)).toBe(title))
})

// Linear: a quadratic reader would take minutes.
test('a very long text of repeated punctuation has a title', () => {
  for (const sign of ['.', ', ', '; ', '。']) expect(titleFromText(`${sign.repeat(400_000)}x`).length).toBeLessThanOrEqual(80)
})
