/** Every screen of a guest, and the other screens of the conversation, in both colour modes, on desktop and phone. */
import { test } from 'vitest'
import { chatWorld, moreChatScreens } from '../screens/chat.ts'
import { guestScreens } from '../screens/guest.ts'
import { walk } from '../screens/screen.ts'
import { setStage } from '../stage.ts'

const { openComposer } = setStage()

test('every screen of a guest', async () => {
  await walk(guestScreens, { users: { me: await openComposer() } })
})

test('the other screens of the conversation', async () => {
  await walk(moreChatScreens, await chatWorld(await openComposer(), await openComposer()))
})
