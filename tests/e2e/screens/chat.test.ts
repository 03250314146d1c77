/** The conversation: every screen, dark and light, on a desk and on a phone. */
import { test } from 'vitest'
import { pathOf, setStage } from '../stage.ts'
import { chatScreens } from './chat.ts'
import { walk } from './screen.ts'

const { arrive } = setStage({ visits: { still: true } })

test('every screen of the conversation', async () => {
  const me = await arrive()
  await me.send('Explain the tides to me')
  await me.untilAnswered()
  await me.send('/demo chunks=6 delay=0 fail')
  await me.conversation.getByRole('button', { name: 'Retry' }).waitFor()
  await walk(chatScreens, { people: { me }, thread: pathOf(me) })
})
