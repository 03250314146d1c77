/** The conversation: its other screens, in both colour modes, on desktop and phone. */
import { test } from 'vitest'
import { chatWorld, moreChatScreens } from '../screens/chat.ts'
import { walk } from '../screens/screen.ts'
import { setStage } from '../stage.ts'

const { openComposer } = setStage()

test('the other screens of the conversation', async () => {
  await walk(moreChatScreens, await chatWorld(await openComposer(), await openComposer()))
})
