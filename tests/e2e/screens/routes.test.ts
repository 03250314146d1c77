// Every route of web/routes has a screen, and every screen has a route.
import { existsSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { rootDir } from '../../../scripts/lib/paths.ts'
import { accountScreens } from './account.ts'
import { chatScreens, moreChatScreens } from './chat.ts'
import { guestScreens } from './guest.ts'
import { payingScreens } from './paying.ts'
import { signedOutScreens } from './signed-out.ts'
import { teamScreens } from './team.ts'

const routesDir = join(rootDir, 'web', 'routes')

/** A file with a folder of the same name is a layout, which is covered by its children. Names with a leading dash are no routes. */
const routes = globSync('**/*.tsx', { cwd: routesDir })
  .filter((file) => !/(^|\/)(-|__root)/.test(file) && !existsSync(join(routesDir, file.replace(/\.tsx$/, ''))))
  .map((file) => {
    const parts = file
      .replace(/\.tsx$/, '')
      .split(/[/.]/)
      .filter((part) => !part.startsWith('_') && part !== 'index')
    return `/${parts.join('/')}`
  })

const rows = [signedOutScreens, guestScreens, accountScreens, teamScreens, payingScreens, chatScreens, moreChatScreens].flat()

test('every route has its screens', () => {
  expect(routes.length).toBeGreaterThan(10)
  const walked = new Set(rows.map(({ route }) => route))
  expect(routes.filter((route) => !walked.has(route))).toEqual([])
  const others = new Set([...walked].filter((route) => !routes.includes(route)))
  expect([...others].filter((route) => route !== 'mail' && !route.startsWith('/api/'))).toEqual([])
})

test('screen names are unique', () => {
  const names = rows.map(({ name }) => name)
  expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([])
})
