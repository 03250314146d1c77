// Every route of the app has a screen, and every screen has a route.
import { expect, test } from 'vitest'
import { pageRoutes } from '../../../worker/page/page-settings.ts'
import { accountScreens } from './account.ts'
import { chatScreens, moreChatScreens } from './chat.ts'
import { guestScreens } from './guest.ts'
import { payingScreens } from './paying.ts'
import { signedOutScreens } from './signed-out.ts'
import { teamScreens } from './team.ts'

const rows = [signedOutScreens, guestScreens, accountScreens, teamScreens, payingScreens, chatScreens, moreChatScreens].flat()

test('every route has its screens', () => {
  const walked = new Set(rows.map(({ route }) => route))
  expect(pageRoutes.filter((route) => !walked.has(route))).toEqual([])
  const others = new Set([...walked].filter((route) => !pageRoutes.includes(route)))
  expect([...others].filter((route) => route !== 'mail' && !route.startsWith('/api/'))).toEqual([])
})

test('screen names are unique', () => {
  const names = rows.map(({ name }) => name)
  expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([])
})
