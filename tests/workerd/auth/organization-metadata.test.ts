// The metadata of an organization, an optional string.
import { expect, test } from 'vitest'
import { maxOrganizationMetadataChars } from '../../../worker/contract/limits.ts'
import { env } from '../bindings.ts'
import { Browser, signInByCode } from './browser.ts'

type Organization = { id: string; metadata?: string | null }

async function signedIn(name: string): Promise<Browser> {
  const browser = new Browser()
  await signInByCode(browser, `${name}@example.test`)
  return browser
}

test.each([
  ['quotes', 'cost centre "7"'],
  ['JSON', '{"__proto__":1}'],
  ['a number', '7'],
  ['a JSON string', '"x"'],
  ['a time', '2026-11-28T00:00:00Z'],
  ['the longest text', 'n'.repeat(maxOrganizationMetadataChars)],
  ['no text', ''],
])('metadata with %s is stored and returned as it was written, by every call and in the row', async (name, text) => {
  const slug = name.replaceAll(' ', '-').toLowerCase()
  const browser = await signedIn(slug)
  const created = await browser.json<Organization>('/api/auth/organization/create', { body: { name: 'Noted', slug, metadata: text } })
  const stored = () => env.DB.prepare('select metadata from organization where id = ?').bind(created.id).first('metadata')
  const returned = async () => ({
    list: (await browser.json<Organization[]>('/api/auth/organization/list')).map(({ metadata }) => metadata),
    active: (await browser.json<Organization>('/api/auth/organization/set-active', { body: { organizationId: created.id } })).metadata,
    full: (await browser.json<Organization>(`/api/auth/organization/get-full-organization?organizationId=${created.id}`)).metadata,
    stored: await stored(),
  })
  const update = (data: object) =>
    browser.json<Organization>('/api/auth/organization/update', { body: { organizationId: created.id, data } })
  const everywhere = { list: [text], active: text, full: text, stored: text }
  expect([created.metadata, await returned()]).toEqual([text, everywhere])
  await update({ metadata: 'other' })
  expect([(await update({ metadata: text })).metadata, await returned()]).toEqual([text, everywhere])
  await update({ name: 'Renamed' })
  expect(await returned()).toEqual(everywhere)
})

test('metadata has a bounded length, and null clears it', async () => {
  const browser = await signedIn('clearer')
  const create = (slug: string, metadata: string | null) =>
    browser.json<Organization>('/api/auth/organization/create', { body: { name: 'Noted', slug, metadata } })
  const { id: organizationId } = await create('noted', 'cost centre 7')
  const stored = (id: string) => env.DB.prepare('select metadata from organization where id = ?').bind(id).first('metadata')
  const update = (metadata: string | null) =>
    browser.call('/api/auth/organization/update', { body: { organizationId, data: { metadata } } })
  const refused = await update('n'.repeat(maxOrganizationMetadataChars + 1))
  expect([refused.status, await refused.json()]).toEqual([400, expect.objectContaining({ code: 'invalid_request' })])
  expect(await stored(organizationId)).toBe('cost centre 7')
  const cleared = await update(null)
  expect([cleared.status, await cleared.json()]).toEqual([200, expect.not.objectContaining({ metadata: expect.anything() })])
  expect(await stored(organizationId)).toBeNull()
  expect(await stored((await create('plain', null)).id)).toBeNull()
})
