/** What a guest has of accounts, organizations and money: every screen, dark and light, on a desk and on a phone. */
import { test } from 'vitest'
import { setStage } from '../stage.ts'
import { guestScreens } from './guest.ts'
import { walk } from './screen.ts'

const { arrive } = setStage()

test('every screen of a guest', async () => {
  await walk(guestScreens, { people: { me: await arrive() } })
})
