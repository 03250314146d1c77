/** Layout in an answer: code with right-to-left names and strings, token by token from the left, and a list with tasks and other items. */
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

test('a checkbox takes the place of the bullet, and other items of the list keep theirs', async () => {
  const guest = await openComposer()
  await guest.send('/demo delay=0 say=- [ ] open\n- [x] done\n- item')
  await guest.untilAnswered()
  await show(guest, 'task-list')
  const items = await guest.conversation.locator('.md li').evaluateAll((elements) =>
    elements.map((item) => {
      const text = document.createRange()
      text.selectNodeContents(item.lastChild ?? item)
      text.setStart(text.startContainer, item.lastChild?.textContent?.search(/\S/) ?? 0)
      const box = item.querySelector('input')?.getBoundingClientRect()
      const textLeft = text.getBoundingClientRect().left
      return { marker: getComputedStyle(item).listStyleType, textLeft, boxWidth: box?.width, isBoxBefore: box && box.right < textLeft }
    }),
  )
  expect(items).toMatchObject([
    { marker: 'none', boxWidth: 13, isBoxBefore: true },
    { marker: 'none', boxWidth: 13, isBoxBefore: true },
    { marker: 'disc' },
  ])
  const lefts = items.map(({ textLeft }) => textLeft)
  expect(Math.max(...lefts) - Math.min(...lefts)).toBeLessThan(2)
})
