/** True while a modal dialog is open: shortcuts and drops on the page are ignored. */
export const isModalOpen = (): boolean => document.querySelector('[aria-modal="true"]') !== null
