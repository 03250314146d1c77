/** Named values of the object: how far it has read each feed, and when its alarm has to ring for what. */
import type { Watermarks } from '../../db/feed.ts'
import type { Sql, SqlValue } from '../engine/types.ts'
import type { Bucket } from '../limits/token-bucket.ts'

export type DeadlineName = 'turns' | 'queries' | 'quota' | 'tokens' | 'hint'

export class Meta {
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
  }

  /** Null until the first import is complete. */
  get watermarks(): Watermarks | null {
    const [content, directory] = [this.#get('content'), this.#get('directory')]
    return typeof content === 'number' && typeof directory === 'number' ? { content, directory } : null
  }

  set watermarks(watermarks: Watermarks) {
    const known = this.watermarks
    if (known?.content !== watermarks.content) this.#set('content', watermarks.content)
    if (known?.directory !== watermarks.directory) this.#set('directory', watermarks.directory)
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
    const value = this.#get('bucket')
    // Written by the setter alone.
    return typeof value === 'string' ? (JSON.parse(value) as Bucket) : null
  }

  set bucket(bucket: Bucket) {
    this.#set('bucket', JSON.stringify(bucket))
  }

  deadline(name: DeadlineName): number | null {
    const value = this.#get(`deadline:${name}`)
    return typeof value === 'number' ? value : null
  }

  setDeadline(name: DeadlineName, atMs: number | null): void {
    if (atMs === null) this.#sql.run('delete from sync_meta where name = ?', `deadline:${name}`)
    else this.#set(`deadline:${name}`, atMs)
  }

  #get(name: string): SqlValue | undefined {
    return this.#sql.all<{ value: SqlValue }>('select value from sync_meta where name = ?', name)[0]?.value
  }

  #set(name: string, value: SqlValue): void {
    this.#sql.run('insert into sync_meta (name, value) values (?, ?) on conflict (name) do update set value = excluded.value', name, value)
  }
}
