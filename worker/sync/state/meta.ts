/** Named values of the object: how far it has read each feed, and when its alarm has to ring for what. */
import type { FeedName, Position, Watermarks } from '../../db/feed.ts'
import type { ImportCursor } from '../../db/person-import.ts'
import type { Sql, SqlValue, Version } from '../engine/types.ts'
import type { Bucket } from '../limits/token-bucket.ts'

export type DeadlineName = 'turns' | 'held' | 'queries' | 'quota' | 'tokens' | 'hint' | 'import'

/** What KV was last given. `sessionIds` name the keys. */
export type HintRecord = { readonly digest: string; readonly atMs: number; readonly sessionIds: readonly string[] }

/** What most commits change: one row, because rows written are what an object is billed for. */
type Now = {
  readonly content?: Position
  readonly directory?: Position
  readonly bucket?: Bucket
  readonly turnsAtMs?: number | null
  readonly hint?: HintRecord
  readonly hintAtMs?: number | null
}

export type ImportState = {
  /** What is left to read; nothing when the replica is whole. */
  readonly cursors: readonly ImportCursor[]
  /** What a client below this version was told of its queries, it was told by a replica that was not whole. */
  readonly completedAt: Version
  /** The tables that it reads for, when they are others than before. */
  readonly shape?: string
}

export class Meta {
  readonly #sql: Sql
  /** What was read or written since the last `reset`, but for deadlines: every commit asks for it, and a read costs as much as a poke. */
  readonly #known = new Map<string, SqlValue | undefined>()
  #knownNow: Now | null = null
  #isTogether = false
  #isDue = false

  constructor(sql: Sql) {
    this.#sql = sql
  }

  /** Null until the first pages are imported. */
  get watermarks(): Watermarks | null {
    const { content, directory } = this.#now
    return content && directory ? { content, directory } : null
  }

  set watermarks({ content, directory }: Watermarks) {
    // The number alone does not name a row: after a restore another row may have it.
    const isSame = (a: Position | undefined, b: Position) => a?.seq === b.seq && a.atMs === b.atMs
    const now = this.#now
    if (!isSame(now.content, content) || !isSame(now.directory, directory)) this.#setNow({ ...now, content, directory })
  }

  get importing(): ImportState {
    const value = this.#get('importing')
    // Written by the setter alone.
    return typeof value === 'string' ? (JSON.parse(value) as ImportState) : { cursors: [], completedAt: 0 }
  }

  set importing(state: ImportState) {
    this.#set('importing', JSON.stringify(state))
  }

  /** The tables that the rows were imported for. */
  get shape(): string | null {
    const value = this.#get('shape')
    return typeof value === 'string' ? value : null
  }

  set shape(shape: string) {
    this.#set('shape', shape)
  }

  /** What is left of the person's quota of writes; null when nothing was ever taken. */
  get bucket(): Bucket | null {
    return this.#now.bucket ?? null
  }

  set bucket(bucket: Bucket) {
    this.#setNow({ ...this.#now, bucket })
  }

  get hint(): HintRecord | null {
    return this.#now.hint ?? null
  }

  set hint(hint: HintRecord) {
    this.#setNow({ ...this.#now, hint })
  }

  /** Whatever of what every commit changes is set meanwhile is one row. Call inside a storage transaction. */
  together(edit: () => void): void {
    this.#isTogether = true
    try {
      edit()
    } finally {
      this.#isTogether = false
    }
    if (this.#isDue) this.#storeNow()
  }

  deadline(name: DeadlineName): number | null {
    if (name === 'turns') return this.#now.turnsAtMs ?? null
    if (name === 'hint') return this.#now.hintAtMs ?? null
    const value = this.#read(`deadline:${name}`)
    return typeof value === 'number' ? value : null
  }

  setDeadline(name: DeadlineName, atMs: number | null): void {
    if (name === 'turns') this.#setNow({ ...this.#now, turnsAtMs: atMs })
    else if (name === 'hint') this.#setNow({ ...this.#now, hintAtMs: atMs })
    else if (atMs === null) this.#sql.run('delete from sync_meta where name = ?', `deadline:${name}`)
    else this.#write(`deadline:${name}`, atMs)
  }

  /** To be called when a transaction was undone: SQL holds the truth. */
  reset(): void {
    this.#known.clear()
    this.#knownNow = null
    this.#isDue = false
  }

  get #now(): Now {
    if (this.#knownNow) return this.#knownNow
    const value = this.#read('now')
    // Written by `#storeNow` alone.
    const now = typeof value === 'string' ? (JSON.parse(value) as Now) : this.#nowOfEarlierRelease()
    this.#knownNow = now.hint ? now : { ...this.#hintOfEarlierRelease(), ...now }
    return this.#knownNow
  }

  #setNow(now: Now): void {
    this.#knownNow = now
    this.#isDue = true
    if (!this.#isTogether) this.#storeNow()
  }

  #storeNow(): void {
    this.#isDue = false
    try {
      this.#write('now', JSON.stringify(this.#now))
    } catch (error) {
      this.#knownNow = null
      throw error
    }
  }

  /** Objects of an earlier release hold a row for each, and of a position perhaps the number alone. */
  #nowOfEarlierRelease(): Now {
    const position = (feed: FeedName): { readonly [feed: string]: Position } => {
      const value = this.#read(feed)
      if (typeof value === 'number') return { [feed]: { seq: value, atMs: null } }
      if (typeof value !== 'string') return {}
      const [seq, atMs] = JSON.parse(value) as [number, number | null]
      return { [feed]: { seq, atMs } }
    }
    return { ...position('content'), ...position('directory') }
  }

  /** Likewise. */
  #hintOfEarlierRelease(): Now {
    const [hint, hintAtMs] = [this.#read('hint'), this.#read('deadline:hint')]
    return {
      ...(typeof hint === 'string' ? { hint: JSON.parse(hint) as HintRecord } : {}),
      ...(typeof hintAtMs === 'number' ? { hintAtMs } : {}),
    }
  }

  #get(name: string): SqlValue | undefined {
    if (!this.#known.has(name)) this.#known.set(name, this.#read(name))
    return this.#known.get(name)
  }

  #set(name: string, value: SqlValue): void {
    this.#write(name, value)
    this.#known.set(name, value)
  }

  #read(name: string): SqlValue | undefined {
    return this.#sql.all<{ value: SqlValue }>('select value from sync_meta where name = ?', name)[0]?.value
  }

  #write(name: string, value: SqlValue): void {
    this.#sql.run('insert into sync_meta (name, value) values (?, ?) on conflict (name) do update set value = excluded.value', name, value)
  }
}
