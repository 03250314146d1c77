/** The catalogue's rows as far as the server itself keeps them: what cannot be used now, and what a connected server turned out to have. */
import type { RefusalCode } from '../contract/errors.ts'
import type { Capability } from '../contract/schema.ts'

export type CatalogueRow = { readonly id: string; readonly slug: string; readonly provider: string; readonly unavailable: string | null }

export async function readCatalogue(db: D1Database): Promise<readonly CatalogueRow[]> {
  const { results } = await db.prepare('select id, model slug, provider, unavailable from model').all<CatalogueRow>()
  return results
}

export type NewModel = {
  readonly id: string
  readonly name: string
  readonly slug: string
  readonly provider: string
  readonly description: string
  readonly capabilities: readonly Capability[]
  readonly icon: string
  readonly position: number
}

export type CatalogueChange =
  | { readonly type: 'add'; readonly model: NewModel }
  | { readonly type: 'remove'; readonly id: string }
  | { readonly type: 'mark'; readonly id: string; readonly unavailable: RefusalCode | null }

/** One batch; triggers tell everybody. What somebody else has changed meanwhile stays as it is. */
export async function changeCatalogue(db: D1Database, changes: readonly CatalogueChange[], nowMs: number): Promise<void> {
  if (changes.length > 0) await db.batch(changes.map((change) => statementFor(db, change, nowMs)))
}

function statementFor(db: D1Database, change: CatalogueChange, nowMs: number): D1PreparedStatement {
  switch (change.type) {
    case 'add': {
      const { id, name, slug, provider, description, capabilities, icon, position } = change.model
      return db
        .prepare(
          `insert into model (id, name, model, provider, description, capabilities, icon, credits, access, position, temperature, createdAt, updatedAt)
           values (?, ?, ?, ?, ?, ?, ?, 1, 'public', ?, 0.8, ?, ?) on conflict do nothing`,
        )
        .bind(id, name, slug, provider, description, JSON.stringify(capabilities), icon, position, nowMs, nowMs)
    }
    case 'remove':
      return db.prepare('delete from model where id = ?').bind(change.id)
    case 'mark':
      return db.prepare('update model set unavailable = ?, updatedAt = ? where id = ?').bind(change.unavailable, nowMs, change.id)
  }
}
