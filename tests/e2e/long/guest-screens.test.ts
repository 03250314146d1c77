/** Account, organization and payment screens of a guest, in both colour modes, on desktop and phone. */
import { test } from 'vitest'
import { guestScreens } from '../screens/guest.ts'
import { walk } from '../screens/screen.ts'
import { setStage } from '../stage.ts'

const { openComposer } = setStage()

test('every screen of a guest', async () => {
  await walk(guestScreens, { users: { me: await openComposer() } })
})
