/** Which cells of a table keep a width of their own, so that a narrow window scrolls instead of breaking at every word. */
import { expect, test } from 'vitest'
import { byBlocks } from './render.tsx'

test('a cell that says more than a narrow column has room for on a line', () => {
  const html = byBlocks(
    '|name|note|\n|-|-|\n|moon|It comes up **fifty minutes later** each day|\n|**The Sea of Tranquility, where they landed**|no|',
  )
  expect([...html.matchAll(/<(t[hd])( data-wraps="true")?>/g)].map(([, tag, wraps]) => `${tag}${wraps ? ' wraps' : ''}`)).toEqual([
    ...['th', 'th'],
    ...['td', 'td wraps'],
    ...['td wraps', 'td'],
  ])
})
