/** The conversation: its main screens, in both colour modes, on desktop and phone. */
import { test } from 'vitest'
import { setStage } from '../stage.ts'
import { chatScreens, chatWorld } from './chat.ts'
import { walk } from './screen.ts'

// An address that is no page answers 404.
const { openComposer } = setStage({ ignoredErrors: /404 \(Not Found\) \[[^\]]*\/nope\]/ })

test('the main screens of the conversation', async () => {
  await walk(chatScreens, await chatWorld(await openComposer(), await openComposer()))
})
