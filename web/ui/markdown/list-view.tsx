/**
 * Draws the blocks of one list inside one element. A finished block is drawn again only if its input or the direction of the list changes; its
 * block says if the list is loose.
 */
import type { Root } from 'hast'
import { memo, type ReactElement, useState } from 'react'
import { type Direction, directionOf, setDirections } from './directions.ts'
import { type BlockInput, blockTree, drawn, isSameInput, shownText } from './drawn-block.ts'
import { FormulaOffset } from './formula-position.tsx'

type ListViewProps = { readonly inputs: readonly BlockInput[] }

export const ListView = memo(
  function ListView({ inputs }: ListViewProps) {
    const [drawBlocks] = useState(listDrawer)
    return drawBlocks(shownInputs(inputs))
  },
  (before, after) =>
    before.inputs.length === after.inputs.length &&
    before.inputs.every((input, index) => {
      const next = after.inputs[index]
      return next !== undefined && isSameInput(input, next)
    }),
)

/** Omits a last block that is only an undecided marker; the block before it then counts as growing. */
function shownInputs(inputs: readonly BlockInput[]): readonly BlockInput[] {
  const last = inputs.at(-1)
  if (!last?.isGrowing || shownText(last) !== '') return inputs
  const before = inputs.at(-2)
  return before ? [...inputs.slice(0, -2), { ...before, isGrowing: true }] : []
}

type CachedBlock = { readonly input: BlockInput; readonly tree: Root }
type CachedItems = { readonly tree: Root; readonly direction: Direction; readonly items: ReactElement; readonly below: ReactElement | null }

function listDrawer() {
  let blocks: readonly CachedBlock[] = []
  let drawnItems: readonly CachedItems[] = []
  return (inputs: readonly BlockInput[]): ReactElement => {
    blocks = inputs.map((input, index) => {
      const cached = blocks[index]
      return cached && isSameInput(cached.input, input) ? cached : { input, tree: blockTree(input) }
    })
    const trees = blocks.map(({ tree }) => tree)
    const direction = directionIn(trees)
    drawnItems = trees.map((tree, index) => {
      const cached = drawnItems[index]
      return cached?.tree === tree && cached.direction === direction ? cached : { tree, direction, ...drawnList(tree, direction) }
    })
    const offset = (index: number, content: ReactElement) => {
      const start = inputs[index]?.block.start ?? 0
      return (
        <FormulaOffset key={start} start={start}>
          {content}
        </FormulaOffset>
      )
    }
    const items = drawnItems.map((cached, index) => offset(index, cached.items))
    const below = drawnItems.at(-1)?.below
    const list = trees[0]?.children.find((node) => node.type === 'element')
    const dir = direction === 'ltr' ? undefined : direction
    const start = list?.properties.start
    return (
      <>
        {list?.tagName === 'ol' ? (
          <ol start={start === undefined ? undefined : Number(start)} dir={dir}>
            {items}
          </ol>
        ) : list?.tagName === 'ul' ? (
          <ul dir={dir}>{items}</ul>
        ) : (
          // An unfinished marker may be drawn as text.
          items
        )}
        {below && offset(drawnItems.length - 1, below)}
      </>
    )
  }
}

/** Of the first letter. */
function directionIn(trees: readonly Root[]): Direction {
  for (const { children } of trees) {
    const [list] = children
    const direction = list?.type === 'element' ? directionOf(list) : null
    if (direction) return direction
  }
  return 'ltr'
}

/** The items of the list at the start of a block, and what is below it. */
function drawnList(tree: Root, direction: Direction): Pick<CachedItems, 'items' | 'below'> {
  const [first, ...others] = tree.children
  const isList = first?.type === 'element' && /^[uo]l$/.test(first.tagName)
  const items: Root = isList ? { type: 'root', children: first.children } : tree
  const below: Root = { type: 'root', children: isList ? others : [] }
  setDirections(items, direction)
  setDirections(below)
  return { items: drawn(items), below: below.children.length > 0 ? drawn(below) : null }
}
