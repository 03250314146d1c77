/// <reference types="vite/client" />

interface ImportMetaEnv {
  readonly VITE_PUBLIC_API_URL?: string
  readonly VITE_PUBLIC_SYNC_URL?: string
}

/** Chromium only; TypeScript's DOM library does not have it. */
declare class CloseWatcher {
  onclose: (() => void) | null
  destroy(): void
}
