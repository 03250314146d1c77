import { describe, expect, test } from 'vitest'
import { withSettledEnd } from '../../../../../web/ui/streaming-markdown/open-end.ts'

describe('the unfinished end of a text shows nothing that may change its kind', () => {
  test.each<[name: string, source: string, shown: string]>([
    ['bold that is open', 'Hello **bo', 'Hello **bo**'],
    ['bold that has only begun', 'Hello **', 'Hello '],
    ['bold with half of its end', 'x **bold*', 'x **bold**'],
    ['bold before a space', 'a **b ', 'a **b** '],
    ['emphasis that is open', 'x *it', 'x *it*'],
    ['struck text that is open', 'x ~~st', 'x ~~st~~'],
    ['an asterisk that multiplies', '2 * 3', '2 * 3'],
    ['underscores inside a name', 'snake_case', 'snake_case'],
    ['what is closed', '**a** *b* `c`', '**a** *b* `c`'],
    ['code that is open', 'a `co', 'a `co`'],
    ['code hides what looks like bold', 'a `**b', 'a `**b`'],
    ['a link that has only its text', 'see [li', 'see li'],
    ['a link whose address is on its way', 'see [link](http://ex', 'see link'],
    ['an image on its way', 'a ![i](http', 'a i'],
    ['a fence on its way', 'text\n``', 'text'],
    ['a marker that may become an item or a heading', 'text\n-', 'text'],
    ['a number that may become an item', '1. a\n2', '1. a'],
    ['a task box on its way', '- [', ''],
    ['the first row of a table', 'text\n| a | b', 'text'],
    ['a table before its first row', '| a | b |\n|---', ''],
    ['a table with a row', '| a | b |\n|---|---|\n| 1', '| a | b |\n|---|---|\n| 1'],
    ['rows that are no table after all', '| a |\n| b |\n| c', '| a |\n| b |\n| c'],
    ['a formula that is open', 'so **x** is \\(a_1 *', 'so **x** is \\(a_1 *'],
    ['bold before a formula that is open', '**so $$a[1', '**so** $$a[1'],
    ['a block formula that is open on the line of its opener', 'a\n$$\\int_0^1 x_', 'a\n$$\n\\int_0^1 x_'],
    ['a block formula with half of its end', '$$ x_1 + y $', '$$\nx_1 + y '],
    ['a block formula in brackets that is open', '\\[ x_1 + y\\', '\\[\nx_1 + y'],
    ['a block formula in an item that is open', '- a\n  $$x_', '- a\n  $$\n  x_'],
    ['a block formula after the marker of an item', '- $$x_1 + ', '- $$\n  x_1 + '],
    ['a block formula after the markers of nested items', '- a\n    10. \\[x_1 \\', '- a\n    10. \\[\n        x_1 '],
    ['a block formula after the marker of a quote', '> \\[x_1\n> = y', '> \\[\n> x_1\n> = y'],
    ['a block formula in an item of a quote', '> - $$x_1', '> - $$\n>   x_1'],
    ['prices after a marker', '- $$ or more', '- $$ or more'],
    ['a formula after the text of an item', '- a $$x_1', '- a $$x_1'],
    ['a formula in indented code', '    $$x_1', '    $$x_1'],
    ['a block formula whose opener is alone', '$$\n  x_1', '$$\n  x_1'],
    ['prices at the start of a line', '$$ or more', '$$ or more'],
    ['a formula hides what looks like emphasis', 'so $a^*$ and', 'so $a^*$ and'],
    ['a bracket that is escaped', 'see \\[x', 'see \\[x'],
    ['only the last paragraph is open', '- a *\n\n**b', '- a *\n\n**b**'],
  ])('%s', (_, source, shown) => {
    expect(withSettledEnd(source)).toBe(shown)
  })
})
