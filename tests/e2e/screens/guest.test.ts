/** Account, organization and payment screens of a guest, in both colour modes, on desktop and phone. */
import { test } from 'vitest'
import { setStage } from '../stage.ts'
import { guestScreens } from './guest.ts'
import { walk } from './screen.ts'

const { arrive } = setStage()

test('every screen of a guest', async () => {
  await walk(guestScreens, { people: { me: await arrive() } })
})
