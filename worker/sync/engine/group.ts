/**
 * The live queries of one client group, read when something may concern them: a group may keep hundreds, and at a wake one row has changed.
 * What is in memory is what stands in `z_query`; what is not, has not been asked for.
 */
import type { RowChange } from './changes.ts'
import type { StoredRow } from './codec.ts'
import { type EdgeHistory, movedAt } from './edges.ts'
import type { Plan } from './plan.ts'
import type { QueryRow, QueryTable } from './query-table.ts'
import { pinsCovering, type Reach, reachFrom, reachText, type Scope, touchedPins } from './scope.ts'
import type { GroupQuery, Table, Version } from './types.ts'

export type RegisteredQuery = {
  readonly query: GroupQuery
  readonly scope: Scope
  /** Compiled when it is first asked for. */
  readonly plan: Plan
  readonly got: Version
  readonly gone: Version | null
  edges: EdgeHistory
}

export type Register = (row: QueryRow, reach: Reach) => RegisteredQuery

/** Ours: pins asked for one by one; beyond as many, reading all of a reach costs less. */
const MAX_PINS = 64

export class Group {
  readonly id: string
  readonly #table: QueryTable
  readonly #register: Register
  readonly #kin = new Map<string, Kin>()
  /** All of them by `got`, once somebody wanted all. */
  #all: RegisteredQuery[] | null = null
  /** When the last query came: of anybody's, until that is asked more exactly. */
  #newestGot: Version
  #isOwnGot = false
  #newestMoved: Version
  #newestGone: Version

  /** `newestGot`: when the last query of any group came. */
  constructor(id: string, table: QueryTable, register: Register, newestGot: Version) {
    this.id = id
    this.#table = table
    this.#register = register
    for (const reach of table.reaches(id)) this.#kinOf(reach)
    this.#newestGot = newestGot
    this.#newestMoved = table.newestMovedOf(id)
    this.#newestGone = table.newestGoneOf(id)
  }

  all(): readonly RegisteredQuery[] {
    if (this.#all !== null) return this.#all
    const byReach = Map.groupBy(this.#table.all(this.id), ({ reach }) => reach)
    const all = [...this.#kin].flatMap(([reach, kin]) => kin.take(byReach.get(reach) ?? []))
    this.#all = all.toSorted((a, b) => a.got - b.got)
    return this.#all
  }

  /**
   * Those that need a look, by `got`: they came or their edge moved after `since`, or a changed row may have to do with them. Whatever any other
   * covers, it covered at `since`.
   */
  concernedBy(since: Version, changes: readonly RowChange[]): readonly RegisteredQuery[] {
    const found = new Set<RegisteredQuery>()
    for (const kin of this.#kin.values()) for (const one of kin.of(touchedPins(kin.reach, changes))) found.add(one)
    if (this.#hasNewerThan(since)) for (const one of this.all()) if (movedAt(one.edges) > since) found.add(one)
    return [...found].toSorted((a, b) => a.got - b.got)
  }

  /** No other can cover the row. */
  coveringPerhaps(table: Table, row: StoredRow): readonly RegisteredQuery[] {
    return [...this.#kin.values()].flatMap((kin) => kin.of(pinsCovering(kin.reach, table, row)))
  }

  hasGoneSince(since: Version): boolean {
    return this.#newestGone > since
  }

  add(row: QueryRow, scope: Scope): void {
    const reach = reachText(scope)
    // All are read before it is stored, or it would be read with them and be here twice.
    const all = this.all()
    this.#table.insert(this.id, row, reach)
    this.#all = [...all, this.#kinOf(reach).put(row)]
    this.#newestGot = row.got
  }

  remove(registered: RegisteredQuery, gone: Version): void {
    this.#table.setGone(registered.got, gone)
    this.#kinOf(reachText(registered.scope)).drop(registered)
    if (this.#all !== null) this.#all = this.#all.filter((one) => one !== registered)
    this.#newestGone = gone
  }

  moveEdge(registered: RegisteredQuery, edges: EdgeHistory): void {
    this.#table.setEdges(registered.got, edges)
    registered.edges = edges
    this.#newestMoved = movedAt(edges)
  }

  #hasNewerThan(since: Version): boolean {
    if (this.#newestGot > since && !this.#isOwnGot) {
      this.#newestGot = this.#table.newestGotOf(this.id)
      this.#isOwnGot = true
    }
    return this.#newestGot > since || this.#newestMoved > since
  }

  #kinOf(text: string): Kin {
    // One that is new when all were read has no queries but those to come.
    const kin = this.#kin.get(text) ?? new Kin(this.id, text, this.#table, this.#register, this.#all !== null)
    this.#kin.set(text, kin)
    return kin
  }
}

/** The queries of a group with one reach. */
class Kin {
  readonly reach: Reach
  readonly #groupID: string
  readonly #text: string
  readonly #table: QueryTable
  readonly #register: Register
  /** By pin; a pin that is not here was not asked for, unless all were. */
  readonly #byPin = new Map<string | null, RegisteredQuery[]>()
  #isWhole: boolean

  constructor(groupID: string, text: string, table: QueryTable, register: Register, isWhole: boolean) {
    this.reach = reachFrom(text)
    this.#groupID = groupID
    this.#text = text
    this.#table = table
    this.#register = register
    this.#isWhole = isWhole
  }

  of(pins: ReadonlySet<string> | 'all'): readonly RegisteredQuery[] {
    if (pins !== 'all' && pins.size <= MAX_PINS) return pins.size === 0 ? [] : [...pins].flatMap((pin) => this.#ofPin(pin))
    if (!this.#isWhole) this.take(this.#table.ofReach(this.#groupID, this.#text))
    return [...this.#byPin.values()].flat()
  }

  /** `rows` are all there are. */
  take(rows: readonly QueryRow[]): readonly RegisteredQuery[] {
    if (!this.#isWhole) {
      const known = new Map([...this.#byPin.values()].flat().map((one) => [one.got, one]))
      this.#byPin.clear()
      this.#isWhole = true
      for (const row of rows) this.put(row, known.get(row.got))
    }
    return [...this.#byPin.values()].flat()
  }

  put(row: QueryRow, known?: RegisteredQuery): RegisteredQuery {
    const registered = known ?? this.#register(row, this.reach)
    const ofPin = this.#byPin.get(row.pin)
    if (ofPin === undefined) this.#byPin.set(row.pin, [registered])
    else ofPin.push(registered)
    return registered
  }

  drop(registered: RegisteredQuery): void {
    const { pin } = registered.scope
    const others = this.#byPin.get(pin)?.filter((one) => one !== registered) ?? []
    if (others.length === 0 && this.#isWhole) this.#byPin.delete(pin)
    else this.#byPin.set(pin, others)
  }

  #ofPin(pin: string): readonly RegisteredQuery[] {
    const known = this.#byPin.get(pin)
    if (known !== undefined || this.#isWhole) return known ?? []
    if (this.#byPin.size >= MAX_PINS) {
      this.take(this.#table.ofReach(this.#groupID, this.#text))
      return this.#byPin.get(pin) ?? []
    }
    const rows = this.#table.ofPin(this.#groupID, this.#text, pin)
    const read = rows.map((row) => this.#register(row, this.reach))
    this.#byPin.set(pin, read)
    return read
  }
}
