/** Cells of a table with a minimum width, so that a narrow window scrolls instead of breaking at every word. */
import { expect, test } from 'vitest'
import { byBlocks } from './render.tsx'

test('a cell with more text than fits on one line of a narrow column', () => {
  const html = byBlocks(
    '|name|note|\n|-|-|\n|moon|It comes up **fifty minutes later** each day|\n|**The Sea of Tranquility, where they landed**|no|',
  )
  expect([...html.matchAll(/<(t[hd])( data-wraps="true")?>/g)].map(([, tag, wraps]) => `${tag}${wraps ? ' wraps' : ''}`)).toEqual([
    ...['th', 'th'],
    ...['td', 'td wraps'],
    ...['td wraps', 'td'],
  ])
})
