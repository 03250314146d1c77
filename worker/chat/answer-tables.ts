/** The tables of all answers that one object writes. They are created with the first turn: an object without a turn stores nothing. */
import type { AnswerStorage, Sql } from './storage.ts'

const turnTable = `create table answerTurn (generationId text primary key, turn text not null, ended text, attempts integer not null default 0,
  settledAtMs integer) without rowid`
/** One line per chunk: JSON has no line break, so a segment is split without parsing. */
const segmentTable = `create table answerSegment (generationId text not null, fromChunk integer not null, toChunk integer not null,
  lines text not null, primary key (generationId, fromChunk)) without rowid`

export class AnswerTables {
  readonly #sql: Sql
  #exist: boolean

  constructor({ sql }: AnswerStorage) {
    this.#sql = sql
    this.#exist = sql.exec("select 1 from sqlite_master where name = 'answerTurn'").toArray().length > 0
  }

  get exist(): boolean {
    return this.#exist
  }

  /** Call in the transaction of the first order, which creates both or neither. */
  create(): void {
    if (this.#exist) return
    this.#sql.exec(turnTable)
    this.#sql.exec(segmentTable)
    this.#exist = true
  }

  /** Answers whose ending D1 has not confirmed. */
  unsettled(): readonly string[] {
    if (!this.#exist) return []
    return this.#sql
      .exec('select generationId from answerTurn where settledAtMs is null')
      .toArray()
      .map(({ generationId }) => String(generationId))
  }

  /** Null without settled answers. */
  lastSettledAtMs(): number | null {
    const row = this.#exist ? this.#sql.exec('select max(settledAtMs) as atMs from answerTurn').toArray()[0] : undefined
    return typeof row?.atMs === 'number' ? row.atMs : null
  }

  /** Deletes answers settled before `beforeMs`, if there are more than `kept`. */
  forgetBefore(beforeMs: number, kept: number): void {
    const count = Number(this.#sql.exec('select count(*) as count from answerTurn').toArray()[0]?.count)
    if (count <= kept) return
    const old = this.#sql.exec('select generationId from answerTurn where settledAtMs < ?', beforeMs).toArray()
    const ids = old.map(({ generationId }) => String(generationId))
    for (const table of ['answerSegment', 'answerTurn']) {
      for (const id of ids) this.#sql.exec(`delete from ${table} where generationId = ?`, id)
    }
  }

  /** Drops the tables, because deleting a row costs as much as writing one. */
  forgetAll(): void {
    for (const table of ['answerSegment', 'answerTurn']) this.#sql.exec(`drop table ${table}`)
    this.#exist = false
    this.create()
  }

  /** Call after the storage was emptied. */
  forgotten(): void {
    this.#exist = false
  }
}
