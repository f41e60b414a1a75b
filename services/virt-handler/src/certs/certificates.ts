/** What a server of ours shows, and whom it believes. PEM. */
export interface ServingCertificates {
  cert: string;
  key: string;
  /** Authorities that sign the certificates of clients. */
  ca: string;
}

/** Where the certificates come from; they may change at any time. */
export interface CertificateSource {
  current(): ServingCertificates | undefined;
  /** Called after each change. */
  onChange(listener: (certificates: ServingCertificates) => void): void;
  run(signal: AbortSignal): Promise<void>;
}
