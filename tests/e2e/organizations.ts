import type { Page } from 'playwright-core'

/** Creates an organization of the user, and returns its id. The page shows the product. */
export async function createOrganization(page: Page, name: string): Promise<string> {
  const data = { name, slug: name.toLowerCase() }
  const created = await page.request.post('/api/auth/organization/create', { data, headers: { origin: new URL(page.url()).origin } })
  const { id } = (await created.json()) as { id: string }
  return id
}
