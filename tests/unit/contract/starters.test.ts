import { expect, test } from 'vitest'
import type { Plan } from '../../../worker/contract/access.ts'
import { startersFor } from '../../../worker/contract/starters.ts'
import { firstPaintTextIn } from '../../../worker/page/page-texts.ts'

const text = firstPaintTextIn('en')
const all = { search: true, files: true, billing: true }
const shown = (installation: Partial<typeof all>, plan: Plan) =>
  startersFor({ ...all, ...installation }, plan, text).map(({ id, isLocked }) => (isLocked ? `${id} (locked)` : id))

test.each<[Partial<typeof all>, Plan, readonly string[]]>([
  [{}, 'pro', ['compare', 'research', 'file', 'write']],
  [{}, 'free', ['compare', 'research (locked)', 'file', 'write']],
  [{}, 'guest', ['compare', 'research (locked)', 'file', 'write']],
  [{ billing: false }, 'guest', ['compare', 'file', 'write']],
  [{ search: false }, 'pro', ['compare', 'file', 'write']],
  [{ files: false, search: false }, 'pro', ['compare', 'write']],
])('an installation with %j offers to a user with %s: %j', (installation, plan, ids) => {
  expect(shown(installation, plan)).toEqual(ids)
})
