/**
 * The buttons that copy the code of a shared page, and the only script of that page, which adds them. The policy of the page names the hash of the
 * script, so nothing else runs. Without scripts, a block has an empty box in place of the button.
 */
import { html, raw } from 'hono/html'
import { sha256Base64 } from '../lib/digests.ts'
import { endOfScript } from './first-paint.ts'
import type { PageTexts } from './page-texts.ts'

/**
 * The buttons replace the boxes that `answer-html.ts` draws. A browser that refuses to copy gets the code selected instead. Chosen: "Copied" shows
 * as long as in the app.
 */
const script = `
const template = document.querySelector('[data-copy]')
const status = document.querySelector('[data-copied-status]')
for (const block of document.querySelectorAll('.md-code')) {
  const code = block.querySelector('code')
  const button = template.content.firstElementChild.cloneNode(true)
  let timer
  const show = (isCopied) => {
    button.toggleAttribute('data-copied', isCopied)
    status.textContent = isCopied ? status.dataset.copiedStatus : ''
  }
  button.onclick = async () => {
    clearTimeout(timer)
    try {
      await navigator.clipboard.writeText(code.textContent)
    } catch {
      getSelection().selectAllChildren(code)
      return
    }
    show(true)
    timer = setTimeout(show, 1500, false)
  }
  block.querySelector('.md-code-head > :last-child').replaceWith(button)
}
`

/** Comes after the articles. Both labels of a button take the same space, so that nothing moves. */
export const copyButtons = ({ copy, copyCode, copied }: PageTexts['text']) =>
  html`<template data-copy><button type="button" aria-label="${copyCode}" class="group/copy inline-flex h-7 shrink-0 touch-target items-center rounded-lg px-2 font-sans text-xs font-medium transition-colors select-none hover:bg-foreground/8 hover:text-foreground print:invisible"><span class="grid text-right *:col-start-1 *:row-start-1"><span class="group-data-copied/copy:invisible">${copy}</span><span class="invisible group-data-copied/copy:visible">${copied}</span></span></button></template>
<p role="status" data-copied-status="${copied}" class="sr-only"></p>
<script>${raw(script)}${endOfScript}`

/** The value of `script-src` that allows this script alone. */
export const copyScriptSource = async (): Promise<string> => `'sha256-${await sha256Base64(script)}'`
