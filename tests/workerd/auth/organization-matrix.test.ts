// Every action on an organization by every kind of user. The contract defines the permissions; for others the organization does not
// exist, and a refused action changes nothing.
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  mayDo,
  type OrganizationAction,
  type OrganizationResource,
  organizationActions,
  organizationRoleNames,
} from '../../../worker/contract/organizations/organization.ts'
import { newId } from '../../../worker/db/new-id.ts'
import { feedEnd, insert, memberRow, organizationRow } from '../../support/rows.ts'
import { env } from '../bindings.ts'
import { Browser, guest, signInByCode } from './browser.ts'

type Who = (typeof everybody)[number]
type Scene = { readonly organizationId: string; readonly memberId: string; readonly teamId: string; readonly invitationId: string }
type Call = (scene: Scene) => { readonly path: string; readonly body: object }

const everybody = [...organizationRoleNames, 'outsider', 'guest'] as const
const users = new Map<Who, { readonly browser: Browser; readonly userId: string }>()
let target = ''

const call =
  (path: string, fields: (scene: Scene) => object): Call =>
  (scene) => ({ path: `/api/auth/organization/${path}`, body: { organizationId: scene.organizationId, ...fields(scene) } })

/** The endpoints of each action. `member.create` has none: users join by invitation only. */
const calls: { readonly [R in OrganizationResource]: { readonly [A in OrganizationAction<R>]: readonly Call[] } } = {
  organization: {
    update: [call('update', () => ({ data: { name: 'Renamed' } }))],
    delete: [call('delete', () => ({}))],
  },
  member: {
    create: [],
    update: [
      call('update-member-role', ({ memberId }) => ({ memberId, role: 'admin' })),
      call('add-team-member', ({ teamId }) => ({ teamId, userId: target })),
    ],
    delete: [call('remove-member', ({ memberId }) => ({ memberIdOrEmail: memberId }))],
  },
  invitation: {
    create: [call('invite-member', () => ({ email: `${newId()}@example.test`, role: 'member' }))],
    cancel: [call('cancel-invitation', ({ invitationId }) => ({ invitationId }))],
  },
  team: {
    create: [call('create-team', () => ({ name: 'Makers' }))],
    update: [call('update-team', ({ teamId }) => ({ teamId, data: { name: 'Takers' } }))],
    delete: [call('remove-team', ({ teamId }) => ({ teamId }))],
  },
}

const absent: Scene = { organizationId: newId(), memberId: newId(), teamId: newId(), invitationId: newId() }

beforeAll(async () => {
  for (const who of everybody) {
    const someone = who === 'guest' ? await guest() : { browser: new Browser(), userId: '' }
    const { userId } = who === 'guest' ? someone : await signInByCode(someone.browser, `matrix-${who}@example.test`)
    users.set(who, { browser: someone.browser, userId })
  }
  target = (await signInByCode(new Browser(), 'matrix-target@example.test')).userId
})

// A user may be in a limited number of organizations, and the same five users are in every test.
afterEach(async () => {
  await env.DB.prepare('delete from organization').run()
})

async function newScene(): Promise<Scene> {
  const organization = organizationRow()
  const organizationId = String(organization.id)
  await insert(env.DB, 'organization', organization)
  for (const role of organizationRoleNames) await insert(env.DB, 'member', memberRow(organizationId, idOf(role), { role }))
  const seen = memberRow(organizationId, target)
  await insert(env.DB, 'member', seen)
  const [teamId, invitationId, createdAt] = [newId(), newId(), 1_800_000_000_000]
  await insert(env.DB, 'team', { id: teamId, name: 'A team', organizationId, createdAt })
  const invitation = { id: invitationId, organizationId, email: 'x@example.test', role: 'member', inviterId: idOf('owner') }
  await insert(env.DB, 'invitation', { ...invitation, expiresAt: 4_000_000_000_000, createdAt })
  return { organizationId, memberId: String(seen.id), teamId, invitationId }
}

const browserOf = (who: Who): Browser => {
  const found = users.get(who)
  if (!found) throw new Error(`nobody is ${who}`)
  return found.browser
}
const idOf = (who: Who): string => users.get(who)?.userId ?? ''

async function tryAs(who: Who, { path, body }: ReturnType<Call>): Promise<{ status: number; text: string }> {
  const response = await browserOf(who).call(path, { body })
  return { status: response.status, text: await response.text() }
}

const resources = Object.keys(organizationActions) as OrganizationResource[]
const actions = resources.flatMap((resource) =>
  Object.entries<readonly Call[]>(calls[resource]).flatMap(([action, tries]) => tries.map((make) => ({ resource, action, make }))),
)

test('every action has a call, except joining, which requires an invitation', () => {
  expect(actions.map(({ resource, action }) => `${resource}.${action}`).filter((name, i, all) => all.indexOf(name) === i)).toEqual(
    resources
      .flatMap((resource) => organizationActions[resource].map((action) => `${resource}.${action}`))
      .filter((name) => name !== 'member.create'),
  )
})

describe.each(actions.map((action) => ({ ...action, name: `${action.resource}.${action.action}` })))(
  '$name',
  ({ resource, action, make }) => {
    test.each(organizationRoleNames)('%s', async (role) => {
      const scene = await newScene()
      // better-auth handles team members within the active organization only.
      await browserOf(role).json('/api/auth/organization/set-active', { body: { organizationId: scene.organizationId } })
      const before = await feedEnd(env.DB, 'directoryChange')
      const { status, text } = await tryAs(role, make(scene))
      if (mayDo(role, resource, action as never)) {
        expect(status, text).toBe(200)
        return
      }
      expect(status, text).toBe(403)
      expect(await feedEnd(env.DB, 'directoryChange')).toBe(before)
    })

    test.each(['outsider', 'guest'] as const)('for a %s it does not exist', async (who) => {
      const scene = await newScene()
      const before = await feedEnd(env.DB, 'directoryChange')
      const foreign = await tryAs(who, make(scene))
      expect(foreign).toEqual(await tryAs(who, make(absent)))
      expect(foreign.status).toBe(404)
      expect(await feedEnd(env.DB, 'directoryChange')).toBe(before)
    })

    test('resources of another organization do not exist either', async () => {
      const [scene, other] = [await newScene(), await newScene()]
      await env.DB.prepare('delete from member where organizationId = ? and userId = ? and role <> ?')
        .bind(other.organizationId, target, 'owner')
        .run()
      const foreign = { ...absent, organizationId: scene.organizationId }
      const named = { ...other, organizationId: scene.organizationId }
      const [ofOther, ofMissing] = [await tryAs('admin', make(named)), await tryAs('admin', make(foreign))]
      expect(ofOther.status).toBe(ofMissing.status)
    })
  },
)

test.each(['get-full-organization', 'list-invitations', 'list-teams', 'list-members'])('%s reveals nothing to outsiders', async (path) => {
  const scene = await newScene()
  const read = async (organizationId: string) => {
    const response = await browserOf('outsider').call(`/api/auth/organization/${path}?organizationId=${organizationId}`)
    return { status: response.status, text: await response.text() }
  }
  const foreign = await read(scene.organizationId)
  expect(foreign).toEqual(await read(newId()))
  expect(foreign.status).toBe(404)
  // Who may invite reads the invitations.
  const reader = browserOf(path === 'list-invitations' ? 'admin' : 'member')
  expect((await reader.call(`/api/auth/organization/${path}?organizationId=${scene.organizationId}`)).status).toBe(200)
})
