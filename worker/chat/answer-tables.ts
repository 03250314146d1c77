/**
 * The tables of all answers that one object writes, and what is asked of them together. They are made with the first order: an object that
 * was never ordered stores nothing. Their names are not those of the release before, which takes whatever it finds under its own for one
 * answer: should it come back, it finds nothing here, and what the record calls open is ordered anew.
 */
import type { AnswerStorage, Sql } from './storage.ts'

const turnTable = `create table answerTurn (generationId text primary key, turn text not null, ended text, attempts integer not null default 0,
  settledAtMs integer) without rowid`
/** Lines: the JSON of a chunk holds no line break, so a segment is split without being parsed. */
const segmentTable = `create table answerSegment (generationId text not null, fromChunk integer not null, toChunk integer not null,
  lines text not null, primary key (generationId, fromChunk)) without rowid`

export class AnswerTables {
  readonly #sql: Sql
  #exist: boolean

  constructor(storage: AnswerStorage) {
    const { sql } = storage
    this.#sql = sql
    const names = new Set(
      sql
        .exec("select name from sqlite_master where name in ('answerTurn', 'turn')")
        .toArray()
        .map(({ name }) => name),
    )
    this.#exist = names.has('answerTurn')
    if (names.has('turn')) storage.transactionSync(() => this.#takeOver())
  }

  get exist(): boolean {
    return this.#exist
  }

  /** In the transaction that writes the first order. One that fails takes them along, and the object with it. */
  create(): void {
    if (this.#exist) return
    this.#sql.exec(turnTable)
    this.#sql.exec(segmentTable)
    this.#exist = true
  }

  /** Answers whose ending is not known to be in D1. */
  unsettled(): readonly string[] {
    if (!this.#exist) return []
    return this.#sql
      .exec('select generationId from answerTurn where settledAtMs is null')
      .toArray()
      .map(({ generationId }) => String(generationId))
  }

  /** Null when nothing has been settled. */
  lastSettledAtMs(): number | null {
    const row = this.#exist ? this.#sql.exec('select max(settledAtMs) as atMs from answerTurn').toArray()[0] : undefined
    return typeof row?.atMs === 'number' ? row.atMs : null
  }

  /** Those settled before `beforeMs`, once there are more than `kept` answers: mostly all go together. */
  forgetBefore(beforeMs: number, kept: number): void {
    const count = Number(this.#sql.exec('select count(*) as count from answerTurn').toArray()[0]?.count)
    if (count <= kept) return
    const old = this.#sql.exec('select generationId from answerTurn where settledAtMs < ?', beforeMs).toArray()
    const ids = old.map(({ generationId }) => String(generationId))
    for (const table of ['answerSegment', 'answerTurn']) {
      for (const id of ids) this.#sql.exec(`delete from ${table} where generationId = ?`, id)
    }
  }

  /** All of them at once: a row that is deleted costs what a row that is written does. */
  forgetAll(): void {
    for (const table of ['answerSegment', 'answerTurn']) this.#sql.exec(`drop table ${table}`)
    this.#exist = false
    this.create()
  }

  /** The storage has been emptied. */
  forgotten(): void {
    this.#exist = false
  }

  /** An object of an earlier release wrote one answer, whose id was the object's name. */
  #takeOver(): void {
    this.create()
    this.#sql.exec(`insert or ignore into answerTurn (generationId, turn, ended, attempts, settledAtMs)
      select turn ->> '$.generationId', turn, ended, attempts, settledAtMs from turn`)
    this.#sql.exec(`insert or ignore into answerSegment (generationId, fromChunk, toChunk, lines)
      select turn ->> '$.generationId', fromChunk, toChunk, lines from segment, turn`)
    for (const table of ['segment', 'turn']) this.#sql.exec(`drop table ${table}`)
  }
}
