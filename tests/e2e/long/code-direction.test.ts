/** Layout of code with right-to-left names and strings: token by token from the left, before and after highlighting. */
import { expect, test } from 'vitest'
import { setStage, show } from '../stage.ts'

const { openComposer } = setStage()

const line = 'const שם = "שלום עולם" + ערך1 * ערך2; // הערה קצרה'
const code = `\`\`\`js\n${line}\nif (שם > ערך1) { return ערך2(שם, "א", ערך1) }\n\`\`\``

test('tokens follow each other from left to right in every script', async () => {
  const guest = await openComposer()
  await guest.send(`/demo delay=0 say=${code}`)
  await guest.untilAnswered()
  const block = guest.conversation.locator('.md-code pre')
  await block.locator('.tok-string').first().waitFor()
  await show(guest, 'code-direction')
  const order = (words: readonly string[]) =>
    block.evaluate((pre, wanted) => {
      const all = document.createTreeWalker(pre, NodeFilter.SHOW_TEXT)
      const places: { text: string; node: Node; from: number }[] = []
      let text = ''
      for (let node = all.nextNode(); node; node = all.nextNode()) {
        places.push({ text: node.textContent ?? '', node, from: text.length })
        text += node.textContent
      }
      let from = 0
      return wanted.map((word) => {
        const at = text.indexOf(word, from)
        from = at + word.length
        const place = places.findLast((each) => each.from <= at)
        if (at === -1 || !place) throw new Error(`no ${word}`)
        const range = document.createRange()
        range.setStart(place.node, at - place.from)
        range.setEnd(place.node, Math.min(at - place.from + word.length, place.text.length))
        return range.getBoundingClientRect().left
      })
    }, words)
  for (const words of [
    ['const', 'שם', '=', '"שלום עולם"', '+', 'ערך1', '*', 'ערך2', ';', '// הערה'],
    ['if', '(', 'שם', '>', 'ערך1', ')', '{', 'return', 'ערך2', '(', 'שם', ',', '"א"', ',', 'ערך1', ')', '}'],
  ]) {
    const lefts = await order(words)
    expect(lefts).toEqual(lefts.toSorted((a, b) => a - b))
  }
  expect(await block.innerText()).toContain(line)
})
