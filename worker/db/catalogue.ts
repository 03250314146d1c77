/** The catalogue's rows as far as the server itself keeps them: what cannot be used now, and what a connected server turned out to have. */
import type { RefusalCode } from '../contract/errors.ts'
import type { Access, Capability, RowOf } from '../contract/schema.ts'

/** What a row says because a server said so. A list is null where the column is. */
export type ToldFacts = {
  readonly name: string
  readonly description: string
  readonly capabilities: readonly Capability[] | null
  readonly effort: readonly string[] | null
  readonly credits: number | null
  readonly access: Access | null
  readonly inputMicroDollarsPerMillionTokens: number | null
  readonly outputMicroDollarsPerMillionTokens: number | null
  readonly temperature: number | null
}

/** In the order of the statements, which is also how two rows are compared. */
const columns = [
  ...(['name', 'description', 'capabilities', 'effort', 'credits', 'access'] as const),
  ...(['inputMicroDollarsPerMillionTokens', 'outputMicroDollarsPerMillionTokens', 'temperature'] as const),
] as const satisfies readonly (keyof ToldFacts & keyof RowOf<'model'>)[]

const valuesOf = (facts: ToldFacts): readonly (string | number | null)[] =>
  columns.map((column) => {
    const value = facts[column]
    return typeof value === 'object' && value !== null ? JSON.stringify(value) : value
  })

export const saysTheSame = (a: ToldFacts, b: ToldFacts): boolean => JSON.stringify(valuesOf(a)) === JSON.stringify(valuesOf(b))

export type CatalogueRow = {
  readonly id: string
  readonly slug: string
  readonly provider: string
  readonly unavailable: string | null
  readonly facts: ToldFacts
}

type StoredFacts = {
  readonly [Column in keyof ToldFacts]: ToldFacts[Column] extends readonly unknown[] | null ? string | null : ToldFacts[Column]
}
type StoredRow = Omit<CatalogueRow, 'facts'> & StoredFacts

export async function readCatalogue(db: D1Database): Promise<readonly CatalogueRow[]> {
  const { results } = await db.prepare(`select id, model slug, provider, unavailable, ${columns.join(', ')} from model`).all<StoredRow>()
  return results.map(({ id, slug, provider, unavailable, ...facts }) => ({
    id,
    slug,
    provider,
    unavailable,
    facts: { ...facts, capabilities: listIn(facts.capabilities), effort: listIn(facts.effort) },
  }))
}

const listIn = <T>(json: string | null): readonly T[] | null => (json === null ? null : JSON.parse(json))

export type NewModel = {
  readonly id: string
  readonly slug: string
  readonly provider: string
  readonly icon: string
  readonly position: number
  readonly facts: ToldFacts
}

export type CatalogueChange =
  | { readonly type: 'add'; readonly model: NewModel }
  | { readonly type: 'remove'; readonly id: string }
  | { readonly type: 'mark'; readonly id: string; readonly unavailable: RefusalCode | null }
  | { readonly type: 'tell'; readonly id: string; readonly facts: ToldFacts }

/** One batch; triggers tell everybody. What somebody else has changed meanwhile stays as it is. */
export async function changeCatalogue(db: D1Database, changes: readonly CatalogueChange[], nowMs: number): Promise<void> {
  if (changes.length > 0) await db.batch(changes.map((change) => statementFor(db, change, nowMs)))
}

function statementFor(db: D1Database, change: CatalogueChange, nowMs: number): D1PreparedStatement {
  switch (change.type) {
    case 'add': {
      const { id, slug, provider, icon, position, facts } = change.model
      return db
        .prepare(
          `insert into model (id, model, provider, icon, position, createdAt, updatedAt, ${columns.join(', ')})
           values (${Array.from({ length: 7 + columns.length }, () => '?').join(', ')}) on conflict do nothing`,
        )
        .bind(id, slug, provider, icon, position, nowMs, nowMs, ...valuesOf(facts))
    }
    case 'remove':
      return db.prepare('delete from model where id = ?').bind(change.id)
    case 'mark':
      return db.prepare('update model set unavailable = ?, updatedAt = ? where id = ?').bind(change.unavailable, nowMs, change.id)
    case 'tell':
      return db
        .prepare(`update model set ${columns.map((column) => `${column} = ?`).join(', ')}, updatedAt = ? where id = ?`)
        .bind(...valuesOf(change.facts), nowMs, change.id)
  }
}
