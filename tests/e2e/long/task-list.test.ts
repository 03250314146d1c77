/** Layout of a list with tasks and other items. */
import { expect, test } from 'vitest'
import { setStage, show } from '../stage.ts'

const { openComposer } = setStage()

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
